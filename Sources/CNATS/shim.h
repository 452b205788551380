/* Why a shim: strings in C structures must outlive the call that they are for; here they are set, used and forgotten in one
   function, so that no address of a Swift string is kept. */
#ifndef ACCORDION_CNATS_SHIM_H
#define ACCORDION_CNATS_SHIM_H
#include <nats/nats.h>

/* Appends to the stream; `*message` is the library's afterwards, or still ours where it failed. */
static inline natsStatus accordion_publish(jsCtx *context, natsMsg **message, const char *id, const char *stream) {
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MsgId = id;
  options.ExpectStream = stream;
  return js_PublishMsgAsync(context, message, &options);
}

/* All messages of the stream from a sequence on, in order. */
static inline natsStatus accordion_read(natsSubscription **subscription, jsCtx *context, const char *stream,
                                        const char *subject, uint64_t sequence, natsMsgHandler handler, void *closure) {
  jsSubOptions options;
  jsSubOptions_Init(&options);
  options.Stream = stream;
  options.Ordered = true;
  options.Config.DeliverPolicy = js_DeliverByStartSequence;
  options.Config.OptStartSeq = sequence;
  return js_Subscribe(subscription, context, subject, handler, closure, NULL, &options, NULL);
}

static inline natsStatus accordion_add_stream(jsStreamInfo **info, jsCtx *context, const char *name, const char *subject,
                                              int64_t replicas, int64_t age, int64_t duplicates) {
  jsStreamConfig config;
  const char *subjects[] = {subject};
  jsStreamConfig_Init(&config);
  config.Name = name;
  config.Subjects = subjects;
  config.SubjectsLen = 1;
  config.Retention = js_LimitsPolicy;
  config.Storage = js_FileStorage;
  config.Discard = js_DiscardOld;
  config.Replicas = replicas;
  config.MaxAge = age;
  config.Duplicates = duplicates;
  return js_AddStream(info, context, &config, NULL, NULL);
}

static inline natsStatus accordion_jetstream(jsCtx **context, natsConnection *connection, int64_t wait,
                                             jsPubAckHandler handler, void *closure) {
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = wait;
  options.PublishAsync.AckHandler = handler;
  options.PublishAsync.AckHandlerClosure = closure;
  return natsConnection_JetStream(context, connection, &options);
}
#endif
