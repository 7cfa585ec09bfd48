# SPDX-License-Identifier: MIT
# Fish completion for smc-tools: options, columns, filters, objects and commands are those of the command's own --help.
# Installed with a link for each command, by whose name fish finds it.

set -l tool (string replace -r '.*/|\.fish$' '' -a -- (status filename))
command -q $tool; or exit
set -g __smc_help_$tool (command $tool --help 2>/dev/null)

# __smc_after TOOL REGEX: lines of its help below the one that matches.
function __smc_after
    set -l help __smc_help_$argv[1]
    set -q $help; or set -g $help (command $argv[1] --help 2>/dev/null)
    printf '%s\n' $$help | sed "1,/$argv[2]/d; /^\$/,\$d"
end

# __smc_argument TOOL KIND: an option's argument, by its name in the help.
function __smc_argument
    set -l found
    switch $argv[2]
        case CMD
            complete -C (commandline -ct)
        case COLUMNS
            __fish_complete_list , "__smc_after $argv[1] '^Columns' | tr -s ' ' '\n' | grep ."
        case FID
            set found /sys/bus/pci/slots/????????
        case FILE BUNDLE
            __fish_complete_path (commandline -ct)
        case GROUP
            __fish_complete_groups
        case HOST
            __fish_print_hostnames
        case IBDEV
            set found /sys/class/infiniband/* /sys/class/dibs/*
        case IFACE NETDEV
            set found /sys/class/net/*
        case NETNS
            set found /run/netns/*
        case PATH
            __fish_complete_directories (commandline -ct)
        case PID
            __fish_complete_pids
        case UNIT
            systemctl (contains -- --user (commandline -opc); and echo -- --user) \
                list-unit-files --type=service --no-legend 2>/dev/null | string replace -r ' .*' ''
        case USER
            __fish_complete_users
        case WHEN
            set found auto always never
    end
    string replace -r '.*/' '' -- $found
end

# __smc_filter TOOL LAST: tests of FILTER, and the names that state and mode take.
function __smc_filter
    set -l lines (__smc_after $argv[1] '^FILTER is made')
    switch $argv[2]
        case state mode
            string match -r "^  $argv[2] .*" -- $lines | string match -ar '\b[a-z]+\b' | string match -v -r "^($argv[2]|or)\$"
        case port sport dport host src dst
        case uid
            __fish_complete_users
        case '*'
            string match -r '^  [a-z]+|[a-z]+(?=:)' -a -- $lines | string trim
            printf '%s\n' and or not
    end
end

# __smc_object TOOL LAST WORD...: objects of smcd and smcr, their commands, and the operands in brackets.
function __smc_object
    set -l lines (__smc_after $argv[1] '^Objects')
    set -l names (string replace -r '^  (\S+).*' '$1' -- $lines)
    for word in $argv[3..]
        set -l at (contains -i -- $word $names); or continue
        switch $argv[2]
            case netdev ibdev
                __smc_argument $argv[1] (string upper -- $argv[2])
            case $word
                string match -ar '\b[a-z]+\b' -- $lines[$at] | string match -v $word
            case '*'
                string replace -r '^[^[]*' '' -- $lines[$at] | string match -ar '\b[a-z]+\b'
        end
        return
    end
    printf '%s\n' $names help
end

# __smc_commands TOOL: its commands, from the beginning of its help.
function __smc_commands
    set -l help __smc_help_$argv[1]
    string replace -rf "^(?:Usage:|      ) $argv[1] ([a-z-]+).*" '$1' -- $$help
end

# __smc_at TOOL COMMAND: is this command being typed? "" is none.
function __smc_at
    set -l typed (commandline -opc)[2]
    contains -- "$typed" (__smc_commands $argv[1]); or set typed
    test "$typed" = "$argv[2]"
end

# __smc_from: FILE, and a command of smc_chk or of another tool.
function __smc_from
    set -l words (commandline -opc)
    switch (count $words)
        case 2
            __fish_complete_path (commandline -ct)
        case 3
            printf '%s\n' smcss smcd smcr smc_pnet smc_rnics smc_conf (__smc_commands smc_chk)
        case '*'
            set -l rest $words[4..]
            contains -- $rest[1] (__smc_commands smc_chk); and set -p rest smc_chk
            complete -C (string join -- ' ' (string escape -- $rest))' '(commandline -ct)
    end
end

# __smc_operand TOOL: arguments that are no options.
function __smc_operand
    set -l tool $argv[1]
    set -l words (commandline -opc)
    switch $tool
        case smcss smc_top smc_events
            __smc_filter $tool $words[-1]
        case smc_dump
            __smc_filter smc_events $words[-1]
        case smcd smcr
            __smc_object $tool $words[-1] $words[2..]
        case smc_bpf smc_conf
            if string match -qr '^[a-z]' -- $words[2..]
                __fish_complete_path (commandline -ct)
            else
                __smc_commands $tool
            end
        case smc_chk
            if __smc_at $tool ''
                test (count $words) -gt 1; or __smc_commands $tool
                return
            end
            switch $words[2]
                case connect
                    __fish_print_hostnames
                case program bundle
                    __fish_complete_path (commandline -ct)
                case from
                    __smc_from
            end
        case smc_setup
            if __smc_at $tool ''; and not string match -qr -- '^--(apply|undo)$' $words
                __smc_commands $tool
            else
                __fish_print_hostnames
                __fish_complete_path (commandline -ct)
            end
        case smc_pnet
            smc_pnet 2>/dev/null | string replace -r ' .*' '' | sort -u
        case smc_rnics
            __smc_argument $tool FID
        case smc_unit
            if __smc_at $tool ''
                __smc_commands $tool
            else
                __smc_argument $tool UNIT
            end
        case smc_run smc_ab
            set -l takes __smc_takes_$tool
            __fish_complete_subcommand -- $$takes
    end
end

complete -c $tool -f -a "(__smc_operand $tool)"
set -g __smc_takes_$tool
# Options of the tool, and of commands with a separate help.
set -l commands
contains $tool smc_bpf smc_chk smc_conf smc_setup smc_unit; and set commands (__smc_commands $tool)
for word in '' $commands
    set -l only
    test -z "$commands"; or set only -n "__smc_at $tool '$word'"
    for line in (command $tool (string split -n ' ' -- $word) --help 2>/dev/null)
        set -l parts (string match -r '^ +((?:-[A-Za-z0-9])?),? *--([A-Za-z][A-Za-z0-9-]*)((?: [A-Z]+)?)\S*  +(.*)' -- $line); or continue
        set -l option -c $tool $only -l $parts[3] -d $parts[5]
        test -z "$parts[2]"; or set -a option -s (string sub -s 2 -- $parts[2])
        if test -n "$parts[4]"
            set -a option -x -a "(__smc_argument $tool$parts[4])"
            set -a __smc_takes_$tool --$parts[3] $parts[2]
        end
        complete $option
    end
end
