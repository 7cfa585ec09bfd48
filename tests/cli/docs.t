#!/bin/bash
# SPDX-License-Identifier: MIT
# Documents and programs agree: --help, manual pages, completion, column and reason tables, README and docs.
# Needs the built tools, tests/unit/keys, mandoc and man; no kernel with SMC.
# shellcheck disable=SC2013 # the lists are of words
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
export LC_ALL=C.UTF-8 MANWIDTH=100 MAN_KEEP_FORMATTING='' GROFF_NO_SGR=1
tools="smcss smc_top smc_events smc_advise smc_run smc_ab smc_chk smc_pnet smc_rnics smc_dump smc_conf smc_setup smcd smcr"
# smc_bpf is built only if its compiler is installed.
[ ! -x "$BUILD/smc_bpf" ] || tools="$tools smc_bpf"
version=$(<VERSION)

# same GOT WANT TEXT: compare two lists, one item per line, in any order; reports missing items of each.
same() {
	same_got=$(printf '%s\n' "$1" | sort -u)
	same_want=$(printf '%s\n' "$2" | sort -u)
	[ -n "$2" ] && [ "$same_got" = "$same_want" ]
	ok $? "$3" && return
	printf '%s\n' "$same_got" "$same_want" "$same_want" | sort | uniq -c |
		awk '$1 == 1 { print "#   too much: " $2 } $1 == 2 { print "#   lacks: " $2 }'
}

# documented TEXT KEYS PAGE...: the pages have an entry for each key that the code prints; "-": standard input
documented() {
	local page missing=
	some "$2" "$1: JSON keys in the code"
	page=$(cat "${@:3}")
	for key in $2; do
		grep -qE "^\.((It )?(Va|Cm|Li)|Pq|Qq) .*\<$key\>" <<<"$page" || missing="$missing $key"
	done
	is "$missing" "" "$1: manual pages have every JSON key"
}

# Options at the start of a line, "-a, --all" or "--strict", each as one item.
listed_options() {
	grep -oE '^ +(-[A-Za-z0-9]( [A-Za-z]+)?, |   +)?--[A-Za-z][A-Za-z0-9-]*' |
		grep -oE -- '--?[A-Za-z0-9][A-Za-z0-9-]*' | grep -vE '^-[a-z]{2}'
}

# complete_names DIRECTORY BEGINNING: names in it that bash completes
complete_names() {
	# shellcheck disable=SC2016 # bash expands these
	bash -c '. completions/smc-tools; cd "$1" && cur=$2 && _smc_names "$PWD"/*; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

# complete_with FUNCTION WORD...: bash's completions of the last word, one per line.
complete_with() {
	# shellcheck disable=SC2016 # bash expands these
	bash -c '. completions/smc-tools
		_command_offset() { COMPREPLY=("command at $1"); }
		PATH=$BUILD:$PATH
		function=$1
		COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
		"$function"
		printf "%s\n" "${COMPREPLY[@]}"' sh "$@"
}

# directory TOOL: of its sources
directory() {
	if [ -d "extra/$1" ]; then echo "extra/$1"; else echo "$1"; fi
}

# subcommands TOOL: sub-commands that have a page of their own
subcommands() {
	for name in $("$BUILD/$1" --help | sed -nE "s/^(Usage:|      ) $1 ([a-z-]+).*/\2/p"); do
		[ ! -e "man/$1-$name.8" ] || echo "$name"
	done
}

# check_options TOOL [COMMAND]
check_options() {
	# shellcheck disable=SC2086 # none, or one word
	help=$("$BUILD/$1" $2 --help | sed -n '/^Options:/,/^$/p' | listed_options)
	page=$(mandoc -Tascii "man/$1${2:+-$2}.8" | col -bx | listed_options)
	same "$page" "$help" "$1 $2: manual page has the options of --help"
	# shellcheck disable=SC2086
	same "$(complete_with "_$1" "$1" $2 -)" "$help" "$1 $2: completion has the options of --help"
	most=48
	[ -z "$(subcommands "$1")" ] || most=28
	# shellcheck disable=SC2086
	is "$("$BUILD/$1" $2 --help | LC_ALL=C.UTF-8 awk -v most=$most 'length > 79 || NR > most')" '' "$1 $2: its help fits into a terminal"
	# shellcheck disable=SC2086
	is "$("$BUILD/$1" $2 --help | sed -nE "s/^  $1( .*|$)/example/p;s/^(Usage|Examples|Options|Exit status|Manual page):.*/\\1/p" | tr '\n' ' ')" \
		'Usage Examples example example Options Exit status Manual page ' "$1 $2: the layout of its help"
	# shellcheck disable=SC2086
	unlike "$("$BUILD/$1" $2 --help | sed -n '/^$/{n;p;q}')" '^[A-Z][a-z]*s ' "$1 $2: its help is in the imperative"
}

# check_rows TOOL: the options in .needs, .excludes, and in macros with a list of options exist
check_rows() {
	help=$(for name in '' $(subcommands "$1"); do
		# shellcheck disable=SC2086 # none, or one word
		"$BUILD/$1" $name --help | listed_options
	done)
	words=$(cat "$(directory "$1")"/*.c | tr '\n\t' '  ' | grep -oE '(\.(needs|excludes) =|#define [A-Z]+) ("[^"]*"|[A-Z]+| )+' | grep -oE -- '--[a-z][a-z0-9-]+')
	is "$(echo "$words" | grep -vxFe "$help")" '' "$1: rows of options name options that there are"
}

# The page of smc_unit has the options of all of its commands.
check_unit() {
	all=
	for command in '' enable disable status peers; do
		# shellcheck disable=SC2086 # no word for the tool itself
		is "$("$BUILD/smc_unit" $command --help | awk 'length > 79')" '' "smc_unit $command: its help fits into a terminal"
		# shellcheck disable=SC2086
		help=$("$BUILD/smc_unit" $command --help | sed -n '/^Options:/,/^$/p' | listed_options)
		all="$all
$help"
		# shellcheck disable=SC2086
		same "$(complete_with _smc_unit smc_unit $command -)" "$help" "smc_unit $command: completion has the options of --help"
	done
	same "$(mandoc -Tascii man/smc_unit.8 | col -bx | listed_options)" "$(echo "$all" | grep .)" "smc_unit: manual page has the options of its commands"
	is "$(complete_with _smc_unit smc_unit '' | tr '\n' ' ')" "enable disable status peers " "smc_unit: completion has all commands"
	check_version smc_unit
}

check_page() {
	# Pages that are links to others.
	if grep -q '^\.so ' "$1"; then
		is "$(sed -n 's,^\.so man8/,man/,p' "$1" | xargs ls)" "$(sed -n 's,^\.so man8/,man/,p' "$1")" \
			"$1: refers to a page"
		return
	fi
	lint=$(mandoc -Tlint -Wwarning "$1" 2>&1)
	is "$lint" "" "$1: mandoc has no warning"
	is "$(man --warnings -E UTF-8 -l -Tutf8 -Z "$1" 2>&1 >/dev/null)" "" "$1: man has no warning"
	[[ $1 != *.8 ]] || grep -q '^\.Sh SYNOPSIS' "$1"
	ok $? "$1: a command has a synopsis"
	# One place has the version: VERSION. make install puts it into the page.
	is "$(grep '^\.Os' "$1")" ".Os smc-tools" "$1: the version is left to make install"
}

json=man/smc-tools-json.5

check_version() {
	is "$("$BUILD/$1" --version)" "$1 utility, smc-tools-$version" "$1 --version agrees with VERSION"
}

# named_columns PAGE: NAME|HEADER|KEY of each column in its table
named_columns() {
	sed -n '/^\.Ss Columns/,/^\.Sh/s/^\.It Cm \([a-z_]*\) Ta \(.*\)/\1|\2/p' "$1" |
		sed 's/ Ta Ta .*/|/; t; s/ Ta \([a-z_]*\) Ta .*/|\1/' | tr ' ' _
}

# check_columns TOOL COLUMNS: --help, completion
check_columns() {
	help=$("$BUILD/$1" --help | sed '1,/^Columns/d;/^$/,$d' | tr -s ' ' '\n' | grep .)
	same "$help" "$2" "$1: --help has all columns"
	same "$(complete_with "_$1" "$1" -o "")" "$2" "$1: completion has all columns"
}

check_socket_columns() {
	table=$("$BUILD/tests/unit/keys" columns | tr ' ' _)
	measured=$("$BUILD/tests/unit/keys" measured | tr ' ' _)
	check_columns smcss "$(echo "$table" | cut -d'|' -f1)"
	check_columns smc_top "$(printf '%s\n' "$table" "$measured" | cut -d'|' -f1 | grep -vxE 'user|netns')"
	same "$(named_columns man/smcss.8)" "$table" "smcss: manual page has every column's name, header and JSON key"
	same "$(named_columns man/smc_top.8)" "$measured" "smc_top: manual page has those that it alone has"
	# Including nested keys.
	documented "smcss, smc_top" "$("$BUILD/tests/unit/keys" smcss | sort -u)" man/smcss.8 "$json"
}

# check_json TOOL SECTION FILE: keys and fixed values printed besides columns, and the schemas
check_json() {
	page=$(awk -v head=".Sh $2" '/^\.Sh/ { is_here = $0 == head } is_here' "$json")
	keys=$(tr '\n\t' '  ' <"$(directory "$1")/$3" | grep -oE 'json_pack\([^;]*;|set[a-z_]*\(json, [^)]*,' | grep -oE '"[a-z_]+"' | tr -d '"' | sort -u)
	documented "$1" "$keys" - <<<"$page"
	same "$(echo "$page" | grep -oE 'smc-tools/[a-z-]+/[0-9]+')" "$(grep -ohE 'smc-tools/[a-z-]+/[0-9]+' "$(directory "$1")"/*.c)" \
		"$1: manual page names the JSON schemas"
}

check_events() {
	same "$(sed -n '/^\.It Va event$/,/^\.It/p' "$json" | grep -oE '^\.Qq .*' | sed 's/^\.Qq //; s/ [,.]/\n/g' | sed 's/^ //' | grep .)" \
		"$(sed -n '/^static const char \*event_name/,/^}/p' extra/smc_events/event.c | grep -oE '"[a-z ]+"' | tr -d '"' | grep -v unlisten)" \
		"smc_events: manual page has every event"
}

# Keys and their fixed values in the JSON of the live test.
check_live_test() {
	keys=$(sed '1,/^.. ---- JSON/d' smc_chk/live/report.c | cat - smc_chk/live/client.c smc_chk/live/live.c |
		grep -oE '"[a-z]{2,}[a-z_]*"' | tr -d '"' | grep -v '^schema$' | sort -u)
	documented "smc_chk, live test" "$keys" <(sed -n '/^\.Sh LIVE TEST/,/^\.Sh [^L]/p' man/smc_chk.8) man/smc_chk-connect.8
	same "$(sed -n '/^The first line is the verdict/,/^if /p' man/smc_chk-connect.8 | sed -n 's/^\.Dq //p' | sed 's/ SMC-[RD]//; s/ ,$//')" \
		"$(sed -n '/^static void put_verdict/,/^}/p' smc_chk/live/report.c | grep -oE '"[A-Z][^":]*' | tr -d '"' | sed 's/ $//')" \
		"smc_chk: manual page has every verdict of the live test"
	same "$(grep -ohE 'smc-tools/check[a-z-]*/[0-9]+' man/smc_chk*.8)" \
		"$(grep -ohE 'smc-tools/check[a-z-]*/[0-9]+' smc_chk/*.c smc_chk/*/*.c)" "smc_chk: manual pages name the schemas of the live test"
}

check_dump() {
	keys=$({
		sed -nE 's/^\t\{ "[a-z_0-9]+", "[^"]*", "([a-z_0-9]+)",.*/\1/p' extra/smc_dump/message_columns.c
		cat extra/smc_dump/print_event.c extra/smc_dump/payload/print_payload.c | tr '\n\t' '  ' | grep -oE 'json_pack\([^;]*;|set_new\(json, "[a-z_0-9]+"' |
			grep -oE '"[a-z_0-9]+"' | tr -d '"'
	} | sort -u)
	documented smc_dump "$keys" man/smc_dump.8 "$json"
	same "$(sed -n '/^\.Sh SMC_DUMP/,$p' "$json" | grep -oE 'smc-tools/[a-z-]+/[0-9]+')" "$(grep -ohE 'smc-tools/[a-z-]+/[0-9]+' extra/smc_dump/*.[ch])" \
		"smc_dump: manual page names the schema"
}

# Completion offers all objects and commands in the help; each object has its page.
check_objects() {
	for tool in smcd smcr; do
		objects=$("$BUILD/$tool" --help | sed -n '/^Objects/,$s/^  \([a-z]*\) .*/\1/p')
		same "$(complete_with "_$tool" "$tool" "" | grep -v '^help$')" "$objects" "$tool: completion has all objects"
		for object in $objects; do
			[ -f "man/$tool-$object.8" ]
			ok $? "$tool $object has a manual page"
			words=$("$BUILD/$tool" --help | sed -n "s/^  $object  *//p" | tr -d '[]|' | tr -s ' ' '\n' | grep '^[a-z]')
			same "$(complete_with "_$tool" "$tool" "$object" "")" "$(echo "$words" | grep -v '^all$'; [ "${words#*all}" = "$words" ] || echo all)" \
				"$tool $object: completion has all commands"
		done
	done
	keys=$(cat smcdr/info.c smcdr/eid_cmd.c smcdr/stats_cmd.c smcdr/stats_export.c smcdr/stats_text.c | tr '\n\t' '  ' |
		grep -oE 'json_pack\([^;]*;|(set_new|rate|usage)\([a-z>, -]+, "[a-z_0-9]+"|NAMES\([^)]*\)|\{ object, "[a-z]+"' |
		grep -oE '"[a-z_0-9]+"' | tr -d '"' | sort -u)
	documented "smcd, smcr" "$keys $("$BUILD/tests/unit/keys" smcdr)" "$json"
}

check_states() {
	names=$(sed -n 's/^\t\[SMC_ABI_[A-Z0-9]*\] = { "\([A-Z0-9]*\)", "\([A-Z0-9]*\)" },$/\1 \2/p' lib/smc/sock.c |
		awk '{ print $1 "|" ($1 == $2 ? "" : $2) }')
	page=$(sed -n '/^\.Ss States/,/^\.El/s/^\.It Cm \([A-Z0-9]*\) Ta [0-9]* Ta \(.*\)/\1|\2/p' man/smcss.8 |
		sed 's/|Ta .*/|/; s/ Ta .*//')
	same "$page" "$names" "smcss: manual page has every state under both names"
	offered=$(complete_with _smcss smcss state "" | grep -vE '^(connected|closing|established|listening|all)$' |
		tr '[:lower:]' '[:upper:]')
	same "$offered" "$(echo "$names" | cut -d'|' -f1)" "smcss: completion has every state"
}

check_reasons() {
	source=$(tr '\n' ' ' <lib/smc/reason.c | grep -oE '\{ 0x[0-9a-f]{8}, "[^}]*' |
		sed 's/{ \(0x[0-9a-f]*\), "\([A-Z_0-9]*\)", "[^"]*", [A-Z_]*, [^,]*,[[:space:]]*"\([^"]*\)".*/\1 \2 \3/' |
		tr ' ' _)
	page=$(sed -n '/^\.Sh REASON CODES/,/^\.Sh EX/p' man/smc-reasons.7 |
		awk '/^\.It Li 0x/ { head = $3 " " $5; getline; print head " " $0 }' | tr ' ' _)
	is "$(echo "$source" | grep -c .)" "$(grep -cE '^	\{ 0x' lib/smc/reason.c)" "reason table was read completely"
	same "$page" "$source" "smc-reasons(7) has every reason code, symbol and meaning"
	same "$(complete_with _smc_chk smc_chk explain "")" "$(echo "$source" | cut -d_ -f2- | grep -oE '^[A-Z0-9_]+' | sed 's/_$//')" \
		"smc_chk: completion has every reason's symbol"
	codes=$(grep -ohE '0x0[0-9a-f]{7}`? [A-Z]{3}[A-Z_]*' docs/troubleshooting.md | tr -d '`' | tr ' ' :)
	some "$codes" "docs/troubleshooting.md: reason codes"
	for code in $codes; do
		like "$source" "^${code%:*}_${code#*:}_" "docs/troubleshooting.md: $code is a reason code"
	done
}

# The library's environment variables are in one page, others refer to it. SMC_TOOLS_ variables belong to tools.
check_variables() {
	source=$(sed -n 's/^\t\[VAR_[A-Z]*\] = "\(SMC_[A-Z_]*\)",$/\1/p' lib/launch/variables.c)
	same "$(grep '^\.It Ev SMC_' man/smc_run.8 | grep -oE 'SMC_[A-Z_]+')" "$source" \
		"smc_run(8) has every variable of the library"
	for page in man/*.[78]; do
		unknown=$(grep -oE '(^\.|[^A-Za-z])Ev SMC_[A-Z_]+' "$page" | sed 's/.* //' |
			grep -v '^SMC_TOOLS_' | grep -vxF "$source" | sort -u)
		[ -z "$unknown" ] || break
	done
	is "$unknown" "" "manual pages name no other variable ($page)"
}

# check_command TOOL WORD...: --help has its options and sub-commands.
check_command() {
	tool=$1 subcommands=
	if subcommands "$tool" | grep -qxe "$2"; then
		help=$("$BUILD/$tool" "$2" --help)
		shift
	else
		help=$("$BUILD/$tool" --help)
	fi
	case $tool in
	smcd | smcr) subcommands=$(echo "$help" | sed -n '/^Objects/,$s/^  //p' | tr -s '[]| ' '\n') ;;
	smc_bpf | smc_conf | smc_setup | smc_unit) subcommands=$(echo "$help" | sed -nE "s/^(Usage:|      ) $tool ([a-z-]+).*/\\2/p") ;;
	esac
	[ "$tool" != smc_unit ] || help=$("$BUILD/smc_unit" "$2" --help)
	shift
	for word; do
		case $word in
		-*) echo "$help" | listed_options | grep -qxe "$word" || return ;;
		*[A-Z0-9/]*) ;;
		*) [ -z "$subcommands" ] || echo "$subcommands" | grep -qx "$word" || return ;;
		esac
	done
}

# shellcheck disable=SC2016 # backquotes of the text
check_cheatsheet() {
	is "$(docs/programs.py)" "$(cat docs/programs.md)" "the table of programs is that of profiles (else: docs/programs.py --write)"
	is "$(docs/distributions.py)" "$(cat README.md docs/install.md)" "the tables of kernels are those of smc_chk/doctor/distributions (else: docs/distributions.py --write)"
	is "$(docs/rows.py)" "$(<man/af_smc.7)" "af_smc(7) has the rows of ld_pre_smc/differences (else: docs/differences.py --write)"
	is "$(docs/cheatsheet <docs/cheatsheet.md)" "$(<man/smc-tools.7)" "smc-tools(7) is docs/cheatsheet.md (else: make cheatsheet)"
	sed -n 's/^| .* | `\(.*\)` |$/\1/p' docs/cheatsheet.md | grep -v '^systemctl ' >"$commands"
	while read -r tool words; do
		[ "$tool" = smc_bpf ] && [ ! -x "$BUILD/smc_bpf" ] && continue
		# shellcheck disable=SC2086 # a list of words
		check_command "$tool" $words
		ok $? "cheat sheet: $tool $words"
	done <"$commands"
	for unit in $(sed -n 's/.*`systemctl.* \(.*\)` |$/\1/p' docs/cheatsheet.md); do
		[ -e "packaging/$unit" ] || [ -e "packaging/$unit.service" ]
		ok $? "cheat sheet: $unit is a unit"
	done
	for page in $(grep -oE '[a-z_.-]+\([5-8]\)' docs/cheatsheet.md | tr '()' '. ' | sort -u); do
		[ -e "man/$page" ]
		ok $? "cheat sheet: $page is there"
	done
	rm -f "$commands"
}

check_pictures() {
	for text in docs/pictures/*.txt; do
		picture=${text%.txt}.svg
		is "$(docs/picture <"$text")" "$(<"$picture")" "$picture shows $text"
		[ "$(wc -c <"$picture")" -lt 20000 ]
		ok $? "$picture is small"
	done
	header=$(PYTHONPATH=tests/kernel/guest NO_COLOR=1 python3 -B -c "if True:
		import sys
		from terminal import on_terminal
		print(on_terminal(sys.argv[1:])[1])" "$BUILD/smc_chk" from tests/cli/host.tgz smcss | head -n 1 | tr -s ' ')
	is "$(grep '^Mode' README.md docs/tutorial.md -h | tr -s ' ' | sort -u)" "$header" "README and tutorial have the columns of smcss"
	# tests/kernel/docs.t compares these with the tool.
	is "$(grep -o 'Local.*Process' docs/pictures/top.txt | tr -s ' ')" "$(grep -o '^Local.*Process' man/smc_top.8 | tr -s ' ')" \
		"docs/pictures/top.txt has the columns of the sample in smc_top(8)"
}

check_completion() {
	bash -n completions/smc-tools
	ok $? "completion is bash"
	is "$(complete_with _smcss smcss --su)" --summary "completion: long option"
	is "$(complete_with _smcss smcss -o state,mo)" state,mode "completion: next column of a list"
	is "$(complete_with _smcss smcss --output = rea)" reason "completion: column after an equals sign"
	is "$(complete_with _smcss smcss mode smc | tr '\n' ' ')" "smcr smcd " "completion: modes"
	is "$(complete_with _smcss smcss mode = tc)" tcp "completion: mode after an operator"
	is "$(complete_with _smcss smcss -a st)" state "completion: a filter"
	is "$(complete_with _smc_events smc_events -e s | tr '\n' ' ')" "sport src " "completion: a filter of events has no states"
	like "$(complete_with _smcss smcss uid ro)" '^root$' "completion: users"
	is "$(complete_with _smc_top smc_top --sort un | tr '\n' ' ')" "unread unsent " "completion: orders of smc_top"
	is "$(complete_with _smc_dump smc_dump -i an)" any "completion: any interface"
	is "$(complete_with _smc_conf smc_conf ex)" export "completion: commands of smc_conf"
	is "$(complete_with _smc_conf smc_conf check - | tr '\n' ' ')" '-v --version -h --help ' 'completion: what a command of smc_conf takes'
	is "$(complete_with _smc_bpf smc_bpf attach --a)" --allow-group 'completion: what a command of smc_bpf takes'
	like "$(complete_with _smc_conf smc_conf check READ)" '^README.md$' 'completion: files of smc_conf'
	is "$(complete_with _smc_chk smc_chk from f smcr x)" "command at 3" "completion: the command of another tool after from FILE"
	is "$(complete_with _smc_chk smc_chk from f smcs)" smcss "completion: a tool after from FILE"
	is "$(complete_with _smc_chk smc_chk from f doctor --prob)" --problems "completion: a command's own after from FILE"
	is "$(complete_with _smc_chk smc_chk co)" connect "completion: commands of smc_chk"
	is "$(complete_with _smc_run smc_run -f a)" auto "completion: families"
	is "$(complete_with _smc_run smc_run --family = in)" inet "completion: family after an equals sign"
	is "$(complete_with _smc_run smc_run -d -r 64K gre '')" "command at 4" "completion: the command's own"
	is "$(complete_with _smc_run smc_run --rcvbuf = 64K -- gre -x)" "command at 5" \
		"completion: the command's own options"
	like "$(complete_with _smc_run smc_run -d ba)" '^bash$' "completion: a command"
	like "$(complete_with _smc_run smc_run -- ba)" '^bash$' "completion: a command after --"
	for tool in $tools smc_unit; do
		like "$(bash -c '. completions/smc-tools; complete -p '"$tool")" "-F _$tool " "completion: bound to $tool"
	done
}

# Names of devices are untrusted.
check_completion_names() {
	names=$(mktemp -d) || exit 1
	# shellcheck disable=SC2016 # they are not to be expanded
	(cd "$names" && touch -- eth0 eth0.7 'x$(>done)' 'x`>done`' "e'h" 'e h' -n)
	is "$(complete_names "$names" ''; ls "$names/done" 2>/dev/null)" "eth0
eth0.7" "completion: of names that others chose, the plain ones"
	is "$(complete_names "$names" eth0.)" eth0.7 "completion: a name that is begun"
	rm -rf "$names"
}

# Completion only runs the command being typed.
check_completion_asks() {
	asked=$(mktemp -d) || exit 1
	# shellcheck disable=SC2016 # sh expands these
	printf '#!/bin/sh\necho asked >>"$0.log"\nprintf "Options:\\n  -q, --quick WHAT  x\\n"\n' >"$asked/smcss"
	chmod +x "$asked/smcss"
	cp "$asked/smcss" "$asked/other"
	is "$(complete_with _smcss "$asked/smcss" - | tr '\n' ' ')" "-q --quick " "completion: the options of the command that is typed"
	is "$(complete_with _smcss "$asked/other" -)$(cat "$asked/other.log" 2>/dev/null)" "" \
		"completion: a command of another name is not run"
	is "$(complete_with _smcss "$asked/none/smcss" - 2>&1)" "" "completion: no command, no options"
	# shellcheck disable=SC2016 # bash expands these
	bash -c '. completions/smc-tools; COMP_WORDS=("$1" -) COMP_CWORD=1; _smcss; _smcss; touch -d tomorrow "$1"; _smcss' sh "$asked/smcss"
	is "$(grep -c asked "$asked/smcss.log")" 3 "completion: asked once a shell, and again when it has changed"
	rm -rf "$asked"
}

# shell_offers SHELL LINE: completions of zsh or fish at its end, one per line.
shell_offers() {
	# shellcheck disable=SC2016 # fish expands these
	case $1 in
	zsh) PATH=$BUILD:$PATH zsh -f tests/cli/complete.zsh "$shells/dump" "$2" ;;
	fish) PATH=$BUILD:$PATH fish -N -c 'set -p fish_complete_path $argv[1]; complete -C $argv[2]' "$shells" "$2" | cut -f1 ;;
	esac
}

# Completions of zsh and fish query --help as well.
check_other_shell() {
	if ! command -v "$1" >/dev/null; then
		skip "completion: $1" "$1 is not installed"
		return
	fi
	shells=$(mktemp -d) || exit 1
	for tool in $tools; do
		ln -s "$PWD/completions/smc-tools.fish" "$shells/$tool.fish"
		# "-" is a word of zsh itself.
		for name in '' $(subcommands "$tool"); do
			# shellcheck disable=SC2086 # none, or one word
			same "$(shell_offers "$1" "$tool $name -" | grep -vxe -)" \
				"$("$BUILD/$tool" $name --help | sed -n '/^Options:/,/^$/p' | listed_options)" "$1: $tool $name: the options of --help"
		done
	done
	is "$(shell_offers "$1" 'smcss -o state,rol' | sed 's/^state,//')" role "$1: next column of a list"
	same "$(shell_offers "$1" 'smcss mode ')" "$(printf 'smcr\nsmcd\ntcp\nnone\n')" "$1: modes"
	is "$(shell_offers "$1" 'smcss -a sta')" state "$1: a filter"
	same "$(shell_offers "$1" 'smc_events s')" "$(printf 'sport\nsrc\n')" "$1: a filter without states"
	is "$(shell_offers "$1" 'smcd -w 2 ue')" ueid "$1: objects"
	same "$(shell_offers "$1" 'smcr linkgroup show ')" "$(printf 'all\nnetdev\nibdev\n')" "$1: what a command takes"
	is "$(shell_offers "$1" 'smcr linkgroup netdev l' | grep -x lo)" lo "$1: devices"
	is "$(shell_offers "$1" 'smc_conf ex')" export "$1: commands"
	is "$(shell_offers "$1" 'smc_conf check READ')" README.md "$1: files"
	is "$(shell_offers "$1" 'smc_bpf attach --a')" --allow-group "$1: what a command of smc_bpf takes"
	ln -s "$PWD/completions/smc-tools.fish" "$shells/smc_unit.fish"
	is "$(shell_offers "$1" 'smc_unit st')" status "$1: commands of smc_unit"
	same "$(shell_offers "$1" 'smc_unit disable -' | grep -vxe -)" "$("$BUILD/smc_unit" disable --help | listed_options)" \
		"$1: smc_unit disable: the options of --help"
	is "$(shell_offers "$1" 'smc_run -r 64K smcd inf')" info "$1: the command's own"
	is "$(shell_offers "$1" 'smc_chk expl')" explain "$1: commands of smc_chk"
	is "$(shell_offers "$1" 'smc_chk from x smcd ue')" ueid "$1: a tool's own after from FILE"
	rm -rf "$shells"
}

check_netns_names() {
	# A machine with two of them, independent of this one.
	# shellcheck disable=SC2016 # sh and bash expand these
	two='mount -t tmpfs none /run && mkdir /run/netns && touch /run/netns/blue /run/netns/red && exec "$@"'
	if ! unshare -rm sh -c "$two" sh true 2>/dev/null; then
		skip "completion: network namespaces" "no user namespaces here"
		return
	fi
	# shellcheck disable=SC2016 # bash expands these
	names=$(unshare -rm sh -c "$two" sh bash -c '. completions/smc-tools; cur=$1
		_smc_netns; printf "%s\n" "${COMPREPLY[@]}"' bash "")
	same "$names" "blue
red" "completion: network namespaces"
}

# plain FILE: print a file without the parts that vary
plain() {
	sed 's/[0-9][0-9]*/N/g' "$1"
}

check_documents() {
	is "$(python3 -B tests/cli/documents.py links ./*.md docs/*.md lab/README.md)" "" \
		"documents: each link leads to a file, or to a heading of it"
	# CHANGELOG.md may describe the past.
	# shellcheck disable=SC2046 # a list of words
	is "$(python3 -B tests/cli/documents.py commands $(find . docs lab -maxdepth 1 -name '*.md' ! -name CHANGELOG.md))" "" "documents: each command has that option and sub-command"
	[ "$(wc -l <README.md)" -le 120 ]
	ok $? "README: at most 120 lines"
	# shellcheck disable=SC2016 # backquotes of the text
	shown=$(plain README.md | sed -n '/^```console/,/^```/{ /^```/d; /^\$/d; p; }')
	some "$shown" "README: shows what commands print"
	is "$(echo "$shown" | grep -vxF -e "$(plain docs/tutorial.md)")" "" "README: what is printed is in the tutorial, which a test types"
}

check_readme() {
	for room in lib/*/ smc*/ ld_pre_smc/ extra/lib/*/ extra/*/; do
		grep -q "\`${room%/}[/\`]" docs/hacking.md
		ok $? "hacking: says what $room is for"
	done
	# shellcheck disable=SC2016 # backquotes of the text
	for file in $(grep -ohE '`[a-z_]+/[a-z_/]+\.[a-z0-9]+`' CONTRIBUTING.md docs/hacking.md | tr -d '\`' | sort -u); do
		[ -e "$file" ]
		ok $? "contributing, hacking: $file is there"
	done
	is "$(sed -n '/^| machine | system /,/^$/p' docs/testing.md)" "$(tests/all --table)" 'docs/testing.md: what is tested, as tests/matrix has it'
	like "$(<.ci/run)" '^for target in check check-source check-vm;' ".ci/run runs the tiers of a merge"
	# shellcheck disable=SC2016 # backquotes of the text
	variables=$(sed -n 's/.*`\(DESTDIR [A-Z0-9_ ]*\)`.*/\1/p' docs/install.md)
	some "$variables" "docs/install.md: variables"
	for var in $variables; do
		grep -q "(\$*$var)" Makefile packaging/*.mk
		ok $? "docs/install.md: $var is a variable of the Makefile"
	done
	# README leads to each page: it names the page, or a page of the same tool that refers to it.
	for page in man/*; do
		name=$(basename "${page%.*}")
		grep -q "[ ,]$name(${page##*.})" README.md || grep -qE "^\.(It )?Xr $name ${page##*.}" "man/${name%%-*}"*.8
		ok $? "README: leads to $page"
	done
	for page in $(grep -oE '\b[a-z_.-]+\([578]\)' README.md | tr '()' '. ' | sort -u); do
		[ -e "man/$page" ]
		ok $? "README: $page is there"
	done
	like "$(<CHANGELOG.md)" "^## \[$version\]|become $version\.$" "CHANGELOG knows version $version"
}

# The program in af_smc(7)
check_program() {
	program=$(sed -n '/^#include/,/^\.Ed/{ /^\.Ed/d; p; }' man/af_smc.7)
	[ "$(echo "$program" | wc -l)" -le 20 ]
	ok $? "af_smc(7): its program has at most 20 lines"
	if ! command -v "${CC:-cc}" >/dev/null; then
		skip "af_smc(7): its program compiles" "${CC:-cc} is not installed"
		return
	fi
	is "$(echo "$program" | "${CC:-cc}" -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -x c -fsyntax-only - 2>&1)" "" \
		"af_smc(7): its program compiles"
}

# packages KIND COLUMN: names in packaging/packages, in its order
packages() {
	awk -v kind="$1" -v column="$2" '$1 == kind && $column != "-" { print $column }' packaging/packages | paste -sd' '
}

check_packages() {
	for kind in build extra bpf m32; do
		is "$(grep -cxF "| $(packages $kind 3) | $(packages $kind 4) |" docs/install.md)" 1 "docs/install.md: packages for $kind"
	done
	is "$(sed -n '/^FROM.* AS build/,/^COPY/p' packaging/container/Containerfile | sed '/^FROM/d; /^COPY/d; s/.*recommends//; s/\\$//' |
		tr -s ' \t\n' ' ' | sed 's/^ //; s/ $//')" \
		"$(packages build 3) $(packages extra 3) $(packages bpf 3)" "container: packages for the build"
}

# Paths and hosts of a developer's machine.
check_machine_paths() {
	git rev-parse -q --verify HEAD >/dev/null 2>&1 || {
		skip "no paths or mirrors of one machine" "not a git work tree"
		return
	}
	hosts=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		grep -oE 'https?://[^/ ]+' | sed 's,.*[/@],,' | sort -u | sed 's/\./\\./g' | paste -sd'|')
	found=$(git grep -nIE "(^|[^A-Za-z0-9_.\$}/])/(work|root|home)/[a-z.]|\<shared/(DESIGN|ref)|(${hosts:-none}|pypi\.org|proxy\.golang)" \
		-- . ':!tests/cli/docs.t')
	is "$found" "" "no paths or mirrors of one machine in the tree"
}

for tool in $tools; do
	for name in '' $(subcommands "$tool"); do
		check_options "$tool" "$name"
	done
	check_rows "$tool"
	check_version "$tool"
done
check_unit
for page in man/*; do
	check_page "$page"
done
check_socket_columns
check_json smcss SMCSS socket_list.c
check_json smc_top SMC_TOP top.c
check_json smc_events SMC_EVENTS event.c
check_events
check_live_test
check_dump
check_objects
check_states
check_reasons
check_variables
commands=$(mktemp) || exit 1
check_cheatsheet
check_pictures
check_completion
check_completion_names
check_completion_asks
check_other_shell zsh
check_other_shell fish
check_netns_names
check_documents
check_readme
check_program
check_packages
check_machine_paths
plan_done
