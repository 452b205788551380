/* Why this file exists: much of OpenSSL is macros, which Swift does not see. Each function here is one of them, or the few
   calls that belong together and take more pointers than Swift should hold. */
#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

static inline void accordion_ssl_settings(SSL_CTX *context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

/* The name that the client means to speak to, for the server's choice and for the check of its certificate; an address is
   checked as one. 1 on success. */
static inline int accordion_ssl_expect(SSL *ssl, const char *host, int is_address) {
    if (is_address) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host);
    if (SSL_set_tlsext_host_name(ssl, host) != 1) return 0;
    return SSL_set1_host(ssl, host);
}

/* Bytes that wait in a memory BIO. */
static inline long accordion_bio_pending(BIO *bio) { return BIO_pending(bio); }

/* An empty memory BIO says "try again", not "end". */
static inline BIO *accordion_bio_new(void) {
    BIO *bio = BIO_new(BIO_s_mem());
    if (bio) BIO_set_mem_eof_return(bio, -1);
    return bio;
}

/* The common name of the peer's certificate, which was verified; its length, or -1. */
static inline int accordion_ssl_peer_name(SSL *ssl, char *name, int size) {
    X509 *certificate = SSL_get1_peer_certificate(ssl);
    if (!certificate) return -1;
    int length = -1;
    if (SSL_get_verify_result(ssl) == X509_V_OK)
        length = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, size);
    X509_free(certificate);
    return length;
}

/* What went wrong last, in words; the queue of errors is emptied. */
static inline void accordion_ssl_reason(char *text, size_t size) {
    unsigned long code = ERR_get_error();
    if (code) ERR_error_string_n(code, text, size);
    else if (size > 0) text[0] = 0;
    ERR_clear_error();
}

#endif
