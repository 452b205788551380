// Why this file exists: what each shell has to be told so that it asks `accordion candidates`. The scripts know nothing of
// commands and options; they split the line, hand it over, and quote what comes back.

enum CompletionScripts {
    /// Readline replaces only what stands behind the last of its word breaks, so words are split here again, and of each
    /// answer only the rest is put behind what was typed, quoted in the way that was begun.
    static let bash = #"""
        # Completion of accordion for bash: the program itself says what may be typed.
        #     source <(accordion completion bash)

        # Splits a line as the shell does: sets words (quotes taken away), current (the last of them), raw (that as it was
        # typed), cut (where in raw readline's own word begins) and quote (the one that is open).
        _accordion_split() {
            local line=$1 c next i
            words=() current= raw= cut=0 quote=
            for ((i = 0; i < ${#line}; i++)); do
                c=${line:i:1} next=${line:i+1:1}
                if [[ $quote == \' ]]; then
                    if [[ $c == \' ]]; then quote=; else current+=$c; fi
                    raw+=$c
                elif [[ $quote == \" ]]; then
                    if [[ $c == \" ]]; then
                        quote=
                    elif [[ $c == \\ && $next == [\"\\\$\`] ]]; then
                        current+=$next raw+=$c
                        c=$next
                        ((i++))
                    else
                        current+=$c
                    fi
                    raw+=$c
                elif [[ $c == [[:blank:]] ]]; then
                    [[ -z $raw ]] || words+=("$current")
                    current= raw= cut=0
                elif [[ $c == [\"\'] ]]; then
                    quote=$c raw+=$c cut=${#raw}
                elif [[ $c == \\ ]]; then
                    current+=$next raw+=$c$next
                    ((i++))
                else
                    current+=$c raw+=$c
                    [[ $COMP_WORDBREAKS != *"$c"* ]] || cut=${#raw}
                fi
            done
        }

        # Adds a whole word to the answers.
        _accordion_add() {
            local rest=${1:${#current}} piece= i c
            [[ $1 == "$current"* ]] || return 0
            if [[ -z $quote ]]; then
                [[ -z $rest ]] || printf -v piece %q "$rest"
            else
                for ((i = 0; i < ${#rest}; i++)); do
                    c=${rest:i:1}
                    if [[ $quote == \" && $c == [\"\\\$\`] ]]; then
                        piece+=\\$c
                    elif [[ $quote == \' && $c == \' ]]; then
                        piece+="'\\''"
                    else
                        piece+=$c
                    fi
                done
            fi
            COMPREPLY+=("${raw:cut}$piece")
        }

        _accordion() {
            local words current raw cut quote program line kind prefix= path action
            COMPREPLY=()
            _accordion_split "${COMP_LINE:0:COMP_POINT}"
            program=${words[0]/#\~\//$HOME/}
            {
                read -r kind prefix
                while IFS=$'\t' read -r line _; do
                    _accordion_add "$line"
                done
            } < <("$program" candidates -- "${words[@]:1}" "$current" 2>/dev/null)
            case $kind in
                files) action=-f ;;
                directories) action=-d ;;
                *) return 0 ;;
            esac
            while IFS= read -r path; do
                if [[ -d ${path/#\~\//$HOME/} ]]; then
                    path+=/
                    compopt -o nospace 2>/dev/null
                fi
                _accordion_add "$prefix$path"
            done < <(compgen "$action" -- "${current#"$prefix"}")
        }

        complete -o nosort -F _accordion accordion 2>/dev/null || complete -F _accordion accordion

        """#

    static let zsh = #"""
        #compdef accordion
        # Completion of accordion for zsh: the program itself says what may be typed.
        #     source <(accordion completion zsh)        after compinit; or this file as _accordion in fpath

        _accordion() {
            local program=${(Q)words[1]} line word head prefix
            local -a before lines found
            [[ $program != \~/* ]] || program=$HOME/${program#\~/}
            (( CURRENT < 3 )) || before=("${(@Q)words[2,CURRENT-1]}")
            lines=("${(@f)"$("$program" candidates -- "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)"}")
            head=${lines[1]} prefix=${lines[1]#* }
            for line in "${(@)lines[2,-1]}"; do
                word=${line%%$'\t'*}
                word=${word//\\/\\\\}
                found+=("${word//:/\\:}:${line#*$'\t'}")
            done
            (( ! ${#found} )) || _describe -V accordion found
            case $head in
                files*|directories*)
                    [[ -z $prefix ]] || compset -P '*='
                    if [[ $head == files* ]]; then _files; else _files -/; fi ;;
            esac
        }

        if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
            _accordion "$@"
        else
            compdef _accordion accordion
        fi

        """#

    static let fish = #"""
        # Completion of accordion for fish: the program itself says what may be typed.
        #     accordion completion fish > ~/.config/fish/completions/accordion.fish

        function __accordion_complete
            set -l words (commandline -opc)
            set -l typed (commandline -ct)
            # With a quote that is still open, as if it were closed.
            set -l current (string unescape -- "$typed" || string unescape -- "$typed\"" || string unescape -- "$typed'")
            set -l lines ($words[1] candidates -- $words[2..-1] "$current" 2>/dev/null)
            set -l head (string split -m 1 ' ' -- $lines[1])
            set -q lines[2]; and printf '%s\n' $lines[2..-1]
            switch "$head[1]"
                case files directories
                    set -l prefix "$head[2]"
                    set -l start (string sub -s (math (string length -- "$prefix") + 1) -- "$current")
                    set -l paths
                    if test "$head[1]" = files
                        set paths (__fish_complete_path "$start")
                    else
                        set paths (__fish_complete_directories "$start")
                    end
                    set -q paths[1]; and printf '%s\n' $prefix$paths
            end
        end

        complete -c accordion -f -k -a '(__accordion_complete)'

        """#
}
