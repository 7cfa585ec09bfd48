#!/bin/bash
# SPDX-License-Identifier: MIT
# The examples for containers and Kubernetes: well-formed, complete, consistent, their scripts clean.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/tool.sh
manifest=examples/kubernetes/smc-tools.yaml

# Files installed into an image, whose compiler builds no 32-bit library.
root=$tmp/root
env -u MAKEFLAGS -u MAKELEVEL make O="$BUILD" DESTDIR="$root" HAVE_32= install >"$tmp/log" 2>&1
ok $? 'the image: make install' || diag "$(tail -n 5 "$tmp/log")"

# Prints dangling names, and rights that a command lacks or does not need.
# Writes the scripts of the ConfigMap into a directory.
cat >"$tmp/check.py" <<'END'
import re
import sys
import yaml

# Rights that the kernel requires of the hook's installer, and files of the node that it uses.
NEEDS = {
    "modprobe": ({"SYS_MODULE"}, {"/lib/modules"}),
    "smcd ueid add": ({"NET_ADMIN"}, set()),
    "smc_conf apply": ({"NET_ADMIN"}, set()),
    "put": (set(), {"/opt/smc-tools", "/etc/smc-tools", "/usr/share/containers/oci/hooks.d"}),
    "smc_bpf attach": ({"BPF", "PERFMON", "NET_ADMIN"}, {"/sys/fs/bpf"}),
}


class Unique(yaml.SafeLoader):
    """YAML lets a key come twice, and the last one wins."""


def mapping(loader, node):
    keys = [loader.construct_object(key) for key, _ in node.value]
    need(len(keys) == len(set(keys)), "a key comes twice among %s" % keys)
    return loader.construct_mapping(node, deep=True)


def need(condition, text):
    if not condition:
        print(text)


def same(got, want, text):
    need(got == want, "%s: %s, not %s" % (text, got, want))


def check_objects(kinds):
    """Names that refer to other objects."""
    namespace, account = (kinds[kind]["metadata"]["name"] for kind in ("Namespace", "ServiceAccount"))
    for kind in "ServiceAccount", "ConfigMap", "DaemonSet":
        same(kinds[kind]["metadata"].get("namespace"), namespace, "namespace of %s" % kind)
    binding = kinds["ClusterRoleBinding"]
    same(binding["roleRef"]["name"], kinds["ClusterRole"]["metadata"]["name"], "role")
    same([(s["kind"], s["name"], s["namespace"]) for s in binding["subjects"]],
         [("ServiceAccount", account, namespace)], "subjects")
    template = kinds["DaemonSet"]["spec"]["template"]
    same(template["spec"]["serviceAccountName"], account, "account of the pods")
    need(kinds["DaemonSet"]["spec"]["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items(),
         "the selector does not fit the pods")
    need(not template["spec"].get("hostNetwork") or template["spec"].get("dnsPolicy") == "ClusterFirstWithHostNet",
         "hostNetwork without the cluster's DNS")


def check_api(kinds):
    """Who asks for /api/v1/pods lists pods."""
    for script in kinds["ConfigMap"]["data"].values():
        for group, resource in re.findall(r"https://[^/ ]+/(api)/v1/([a-z]+)", script):
            need({"apiGroups": [""], "resources": [resource], "verbs": ["list"]} in kinds["ClusterRole"]["rules"],
                 "no right to list %s of /%s" % (resource, group))


def check_container(container, pod, scripts):
    """The script of a container: what it reads is mounted, what it does is allowed, and no more."""
    name = container["name"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    mounts = {mount["mountPath"]: volumes.get(mount["name"], {}) for mount in container["volumeMounts"]}
    config = [path for path, volume in mounts.items() if "configMap" in volume]
    same(len(config), 1, "%s: mounts of the ConfigMap" % name)
    path = container["command"][1]
    need(path.startswith(config[0] + "/") and path[len(config[0]) + 1:] in scripts, "%s: there is no %s" % (name, path))
    script = re.sub(r"^\s*#.*", "", scripts.get(path[len(config[0]) + 1:], ""), flags=re.M)
    for used in re.findall(re.escape(config[0]) + r"/([a-z.-]+)", script):
        need(used in scripts, "%s: %s is not in the ConfigMap" % (name, used))
    uses = [NEEDS[words] for words in NEEDS if re.search(r"\b%s\b" % words, script)]
    need(uses, "%s: what it does is not known here" % name)
    files = set(re.findall(r"/sys/fs/[a-z]+", script)).union(*(files for _, files in uses))
    same({path for path, volume in mounts.items() if volume.get("hostPath", {}).get("path") == path}, files,
         "%s: files of the node" % name)
    rights = container["securityContext"]["capabilities"]
    same(rights["drop"], ["ALL"], "%s: capabilities dropped" % name)
    same(set(rights.get("add", [])), set().union(*(caps for caps, _ in uses)), "%s: capabilities" % name)
    same({variable["name"] for variable in container.get("env", [])}, set(re.findall(r"\$([A-Z][A-Z_]+)", script)),
         "%s: variables" % name)
    need(all("valueFrom" in v or isinstance(v["value"], str) for v in container.get("env", [])),
         "%s: the value of a variable is not a string" % name)


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        text = file.read()
    kinds = {doc["kind"]: doc for doc in yaml.load_all(text, Loader=Unique) if doc}
    check_objects(kinds)
    check_api(kinds)
    pod, scripts = kinds["DaemonSet"]["spec"]["template"]["spec"], kinds["ConfigMap"]["data"]
    same({volume["configMap"]["name"] for volume in pod["volumes"] if "configMap" in volume},
         {kinds["ConfigMap"]["metadata"]["name"]}, "config map")
    containers = pod["initContainers"] + pod["containers"]
    for container in containers:
        check_container(container, pod, scripts)
    with open("packaging/container/Containerfile", encoding="ascii") as file:
        same({c["image"] for c in containers}, set(re.findall(r"podman build -t (\S+)", file.read())), "image")
    for label in re.findall(r"kubectl label pod \S+ (\S+)", text):
        need(any(v.get("value") == label for c in containers for v in c.get("env", [])), "nobody looks for %s" % label)
    for name, script in scripts.items():
        with open(sys.argv[2] + "/" + name, "w", encoding="ascii") as file:
            file.write(script)


main()
END
out=$(python3 "$tmp/check.py" "$manifest" "$tmp" 2>&1)
is "$?$out" 0 'Kubernetes: references lead somewhere; mounts, rights and variables are those that the scripts need'

# Commands in the examples are installed, and have the options and sub-commands used.
calls=$(cat "$tmp/setup.sh" "$tmp/attach.sh" | grep -oE '\b(smc(ss|d|r)|smc_[a-z]+)( +(-+)?[a-z]+)*' | grep ' ' | sort -u)
calls="$calls
$(sed -n 's/^CMD \[\(.*\)\]/\1/p' packaging/container/Containerfile | tr -d '",')"
is "$(printf '%s\n' "$calls" | grep -c ' ')" 6 'commands of the examples'
while read -r tool words; do
	[ -x "$root/usr/bin/$tool" ]
	ok $? "the image has $tool"
	for word in $words; do
		like "$("$root/usr/bin/$tool" --help)" "(^|[ |[,])$word([], |=[]|\$)" "$tool --help: $word"
	done
done <<END
$calls
END
file=$(sed -n 's,^RUN cp \(/[^ ]*\) /ld_pre_smc\.so$,\1,p' packaging/container/Containerfile.preload)
# shellcheck disable=SC2086 # a pattern
[ -n "$file" ] && [ -f "$root"$file ]
ok $? 'the image has the library that Containerfile.preload copies'

# Libraries of the installed tools are in packages that the image installs, or in their dependencies.
if command -v dpkg-query >/dev/null; then
	packages=$(awk '/^FROM/ { stage++ } stage == 2' packaging/container/Containerfile | tr -s '\\\t ' '\n' | grep '^lib.*[0-9]$')
	# Some names in Debian 13 end in t64.
	have=$(for package in $packages; do dpkg-query -W -f '${Package} ${Depends}\n' "$package" "${package}t64"; done 2>/dev/null |
		sed 's/([^)]*)//g' | tr -s ', ' '\n')
	libraries=$(readelf -d "$root"/usr/bin/* | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort -u)
	some "$libraries" 'the tools need libraries'
	missing=$(for library in $libraries; do
		dpkg-query -S "*/$library" 2>/dev/null | cut -d: -f1 | sort -u | grep -qxF -e "$have" || echo "$library"
	done)
	is "$missing" '' 'the image has the libraries of the tools'
else
	skip 'the image has the libraries of the tools' 'no dpkg here'
fi
shellcheck "$tmp/setup.sh" "$tmp/hook.sh" "$tmp/attach.sh" >"$tmp/log"
ok $? 'Kubernetes: shellcheck has nothing to say about the scripts' || diag "$(<"$tmp/log")"

# Do the scripts work? Each program that they call is a fake that records its arguments.
mkdir "$tmp/bin" "$tmp/cgroup" "$tmp/account"
systemd=$tmp/cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a1b_2c.slice
# Names that containers chose.
other=$tmp/cgroup/kubepods.slice/kubepods-pod7.slice
mkdir -p "$systemd/x /other/y-pod0a1b_2c.slice" "$other/pod9-f" "$other/x $tmp/cgroup/other z-pod9_f.slice"
mkdir -p "$systemd/cri-1.scope" "$tmp/cgroup/kubepods/besteffort/pod9-f" "$tmp/cgroup/kubepods/pod0a1b"
echo TOKEN >"$tmp/account/token"
for tool in modprobe smcd smc_conf smc_bpf curl sleep cat jq; do
	cat >"$tmp/bin/$tool" <<'END'
#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
case "${0##*/} $*" in
"smc_bpf status"*) grep -q "^smc_bpf attach $2 $3\$" "$CALLS" ;;
"cat "* | "jq "*) tool=${0##*/}; PATH=${PATH#*:}; exec "$tool" "$@" ;;
"curl "*) cat >"$CALLS.headers"; echo '{"items":[{"metadata":{"uid":"0a1b-2c"}},{"metadata":{"uid":"9-f"}},{"metadata":{"uid":"gone"}}]}' ;;
"sleep "*) [ "$(grep -c '^sleep' "$CALLS")" -lt 2 ] || kill "$PPID" ;;
"smcd ueid show") cat "$CALLS.eids" ;;
esac
END
	chmod +x "$tmp/bin/$tool"
done
export CALLS="$tmp/calls"
sed -i "s,/config/,$tmp/,; s,/sys/fs/cgroup,$tmp/cgroup,; s,/var/run/secrets/kubernetes.io/serviceaccount,$tmp/account," \
	"$tmp/setup.sh" "$tmp/attach.sh"
: >"$CALLS.eids"
PATH=$tmp/bin:$PATH NODE_NAME=n1 sh "$tmp/setup.sh"
is "$(grep -v ^cat "$CALLS")" "modprobe smc
smcd ueid show
smcd ueid add MYCLUSTER
smc_conf apply $tmp/node.conf" 'Kubernetes: a node is set up'
echo MYCLUSTER >"$CALLS.eids"
rm "$CALLS"
: >"$tmp/node.conf.n1"
PATH=$tmp/bin:$PATH NODE_NAME=n1 sh "$tmp/setup.sh"
unlike "$(<"$CALLS")" 'ueid add' 'Kubernetes: an EID that is there is not added'
like "$(<"$CALLS")" "smc_conf apply $tmp/node.conf.n1" 'Kubernetes: a node may have PNET IDs of its own'
rm "$CALLS"
mkdir "$tmp/none" && printf '#!/bin/sh\nexit 1\n' >"$tmp/none/modprobe" && chmod +x "$tmp/none/modprobe"
PATH=$tmp/none:$tmp/bin:$PATH NODE_NAME=n1 sh "$tmp/setup.sh" >"$tmp/out" 2>&1
is "$? $(cat "$CALLS" 2>/dev/null)" '0 ' 'Kubernetes: a node without SMC is left as it is'
: >"$CALLS"
PATH=$tmp/bin:$PATH NODE_NAME=n1 LABEL=l=1 INTERVAL=5 sh "$tmp/attach.sh" >"$tmp/out" 2>&1
is "$(grep '^smc_bpf attach' "$CALLS" | sort)" "smc_bpf attach --cgroup $systemd
smc_bpf attach --cgroup $tmp/cgroup/kubepods/besteffort/pod9-f" 'Kubernetes: pods are found by either way to name groups, attached once'
like "$(grep -m1 ^curl "$CALLS")" '-H @- .*fieldSelector=spec.nodeName=n1 .*labelSelector=l=1 https://' \
	'Kubernetes: the API is asked for this node and label'
is "$(<"$CALLS.headers")" 'Authorization: Bearer TOKEN' 'Kubernetes: with the token of the account'
unlike "$(<"$CALLS")" TOKEN 'Kubernetes: which is among nobody'"'"'s arguments'

# The hook, on a node that is a directory: it must run without the image's libraries.
node=$tmp/node
sed "s,=/opt/,=$node/opt/,; s,/config/,$tmp/,; s,/etc/smc-tools,$node/etc,; s,/usr/share/[^ ]*/,$node/hooks.d/," "$tmp/hook.sh" >"$tmp/put.sh"
mkdir -p "$node/etc" "$node/hooks.d"
PATH=$root/usr/bin:$PATH sh "$tmp/put.sh" >"$tmp/out" 2>&1
is "$?$(<"$tmp/out")" 0 'Kubernetes: the hook is put onto a node'
is "$(cd "$node" && find . -type f ! -name '*.so.*' | sort | tr '\n' ' ')" \
	'./etc/smc.conf ./hooks.d/smc-tools.json ./opt/smc-tools/bin/smc_bpf ./opt/smc-tools/bin/smc_conf ' 'Kubernetes: all of it, nothing half'
[ -e "$node/opt/smc-tools/lib/libbpf.so.1" ]
ok $? 'Kubernetes: libbpf, too, which is loaded when it is needed'
missing=$(env -i LD_LIBRARY_PATH="$node/opt/smc-tools/lib" ldd "$node"/opt/smc-tools/bin/* | grep '=> /' | grep -v -e "$node" -e '/libc\.')
is "$missing" '' 'Kubernetes: with its libraries'
out=$(echo | env -i LD_LIBRARY_PATH="$node/opt/smc-tools/lib" "$node/opt/smc-tools/bin/smc_bpf" oci-hook 2>&1)
like "$?$out" '^0smc_bpf: standard input is not the state of a container' 'Kubernetes: it runs there'
out=$(env -i LD_LIBRARY_PATH="$node/opt/smc-tools/lib" "$node/opt/smc-tools/bin/smc_conf" check - <"$tmp/smc.conf" 2>&1)
is "$(echo "$out" | grep -v 'only the file was checked')" '' 'Kubernetes: smc.conf is one'
is "$(jq -Sc 'del(.hook.env, .hook.path)' "$node/hooks.d/smc-tools.json")|$(jq -r '.hook.path, .hook.env[]' "$node/hooks.d/smc-tools.json" | tr '\n' ' ')" \
	"$(jq -Sc 'del(.hook.path)' packaging/smc-tools.json)|/opt/smc-tools/bin/smc_bpf LD_LIBRARY_PATH=/opt/smc-tools/lib " \
	'Kubernetes: the hook is that of the package, elsewhere'
echo '# of the node' >"$node/etc/smc.conf"
PATH=$root/usr/bin:$PATH sh "$tmp/put.sh"
is "$?$(<"$node/etc/smc.conf")" '0# of the node' "Kubernetes: a node's own smc.conf stays"

# A small parser: known instructions, stages that exist, files that the build has.
for file in packaging/container/Containerfile packaging/container/Containerfile.preload; do
	awk '
		/^#/ || /^$/ { next }
		more { more = /\\$/; next }
		{ more = /\\$/ }
		!/^(ARG|FROM|RUN|COPY|ENV|CMD) [^ ]/ { print "line " NR ": " $0 }
		!from && !/^(ARG|FROM) / { print "before FROM: " $0 }
		/^FROM / { from = 1; if ($3 == "AS") stage[$4] = 1; if ($2 ~ /\//) print "a registry: " $2 }
		/^COPY --from=/ { sub(/^--from=/, "", $2); if (!stage[$2]) print "no stage " $2 }
		/^CMD / && !/^CMD \["[a-z_]+"(, "[^"]*")*\]$/ { print "not in JSON: " $0 }
		END { if (!from || more) print "ends too early" }' "$file" >"$tmp/log"
	is "$(<"$tmp/log")" '' "$file: instructions and stages"
	awk '/^RUN /, !/\\$/' "$file" | sed 's/^RUN //' >"$tmp/run.sh"
	shellcheck -s sh "$tmp/run.sh" >"$tmp/log"
	ok $? "$file: shellcheck has nothing to say" || diag "$(<"$tmp/log")"
done
plan_done
