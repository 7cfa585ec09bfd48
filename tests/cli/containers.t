#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples for containers and Kubernetes: well-formed, complete, consistent, their scripts clean.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
BUILD=${BUILD:-$PWD/build}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
LC_ALL=C
export LC_ALL
manifest=packaging/kubernetes/smc-tools.yaml

# Prints what is wrong, and writes the scripts of the ConfigMap into a folder.
cat >"$tmp/check.py" <<'END'
import sys
import yaml

KEYS = {
    "Namespace": (), "ServiceAccount": (), "ClusterRole": ("rules",), "ConfigMap": ("data",),
    "ClusterRoleBinding": ("roleRef", "subjects"), "DaemonSet": ("spec",),
}
CONTAINER = {"name", "image", "imagePullPolicy", "command", "env", "securityContext", "resources", "volumeMounts"}


class Unique(yaml.SafeLoader):
    """YAML lets a key come twice, and the last one wins."""


def mapping(loader, node):
    keys = [loader.construct_object(key) for key, _ in node.value]
    need(len(keys) == len(set(keys)), "a key comes twice among %s" % keys)
    return loader.construct_mapping(node, deep=True)


def need(condition, text):
    if not condition:
        print(text)


Unique.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
with open(sys.argv[1], encoding="ascii") as file:
    docs = [doc for doc in yaml.load_all(file, Loader=Unique) if doc]
kinds = {}
for doc in docs:
    kind = doc.get("kind")
    need(kind in KEYS, "kind %s" % kind)
    need(set(doc) == {"apiVersion", "kind", "metadata", *KEYS.get(kind, ())}, "keys of %s" % kind)
    need("name" in doc["metadata"], "%s without a name" % kind)
    kinds[kind] = doc
need(set(kinds) == set(KEYS), "objects: %s" % sorted(kinds))
namespace = kinds["Namespace"]["metadata"]["name"]
for kind in "ServiceAccount", "ConfigMap", "DaemonSet":
    need(kinds[kind]["metadata"].get("namespace") == namespace, "namespace of %s" % kind)
account = kinds["ServiceAccount"]["metadata"]["name"]
binding = kinds["ClusterRoleBinding"]
need(binding["roleRef"]["name"] == kinds["ClusterRole"]["metadata"]["name"], "roleRef")
need([(s["kind"], s["name"], s["namespace"]) for s in binding["subjects"]]
     == [("ServiceAccount", account, namespace)], "subjects")
need(kinds["ClusterRole"]["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}], "rights")

spec = kinds["DaemonSet"]["spec"]
pod = spec["template"]["spec"]
need(spec["selector"]["matchLabels"].items() <= spec["template"]["metadata"]["labels"].items(), "selector")
need(pod["hostNetwork"] is True and pod["hostPID"] is True, "the node's network and processes")
need(pod["dnsPolicy"] == "ClusterFirstWithHostNet", "hostNetwork without the cluster's DNS")
need(pod["serviceAccountName"] == account, "account of the pods")
volumes = {volume["name"]: volume for volume in pod["volumes"]}
need(volumes["config"]["configMap"]["name"] == kinds["ConfigMap"]["metadata"]["name"], "config map")
containers = {c["name"]: c for c in pod["initContainers"] + pod["containers"]}
caps = {"setup": {"SYS_MODULE", "NET_ADMIN"}, "attach": {"BPF", "PERFMON", "NET_ADMIN"}}
mounts = {"setup": {"/config", "/lib/modules"}, "attach": {"/config", "/sys/fs/bpf", "/sys/fs/cgroup"}}
need(set(containers) == set(caps), "containers: %s" % sorted(containers))
scripts = kinds["ConfigMap"]["data"]
for name, container in containers.items():
    need(set(container) <= CONTAINER, "keys of container %s" % name)
    need(container["image"] == "smc-tools:local", "image of %s" % name)
    rights = container["securityContext"]["capabilities"]
    need(rights["drop"] == ["ALL"] and set(rights["add"]) == caps[name], "capabilities of %s" % name)
    need({m["mountPath"] for m in container["volumeMounts"]} == mounts[name], "mounts of %s" % name)
    for mount in container["volumeMounts"]:
        volume = volumes[mount["name"]]
        need(mount["name"] == "config" or volume["hostPath"]["path"] == mount["mountPath"], "volume %s" % mount)
    need(container["command"][:1] == ["/bin/sh"] and
         container["command"][1].removeprefix("/config/") in scripts, "command of %s" % name)
for variable in containers["attach"]["env"]:
    need(("$" + variable["name"]) in scripts["attach.sh"], "variable %s" % variable["name"])
    need("valueFrom" in variable or isinstance(variable["value"], str), "%s is no string" % variable["name"])
for name, text in scripts.items():
    with open(sys.argv[2] + "/" + name, "w", encoding="ascii") as file:
        file.write(text)
END
out=$(python3 "$tmp/check.py" "$manifest" "$tmp" 2>&1)
is "$?$out" 0 'Kubernetes: objects, references, rights, mounts'
shellcheck "$tmp/setup.sh" "$tmp/attach.sh" >"$tmp/log"
ok $? 'Kubernetes: shellcheck has nothing to say about the scripts' || diag "$(cat "$tmp/log")"

# Do the scripts do what they say? Every program of theirs is a fake that says how it was called.
mkdir "$tmp/bin" "$tmp/cgroup" "$tmp/account"
systemd=$tmp/cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a1b_2c.slice
mkdir -p "$systemd/cri-1.scope" "$tmp/cgroup/kubepods/besteffort/pod9-f" "$tmp/cgroup/kubepods/pod0a1b"
echo TOKEN >"$tmp/account/token"
for tool in modprobe smcd smc_pnet smc_bpf curl sleep; do
	cat >"$tmp/bin/$tool" <<'END'
#!/bin/sh
echo "${0##*/} $*" >>"$CALLS"
case "${0##*/} $*" in
"smc_bpf status"*) grep -q "^smc_bpf attach $2 $3\$" "$CALLS" ;;
"curl "*) echo '{"items":[{"metadata":{"uid":"0a1b-2c"}},{"metadata":{"uid":"9-f"}},{"metadata":{"uid":"gone"}}]}' ;;
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
PATH=$tmp/bin:$PATH sh "$tmp/setup.sh"
is "$(cat "$CALLS")" "modprobe smc
smcd ueid show
smcd ueid add MYCLUSTER
smc_pnet --import $tmp/pnet.conf" 'Kubernetes: a node is set up'
echo MYCLUSTER >"$CALLS.eids"
rm "$CALLS"
PATH=$tmp/bin:$PATH sh "$tmp/setup.sh"
unlike "$(cat "$CALLS")" 'ueid add' 'Kubernetes: an EID that is there is not added'
rm "$CALLS"
PATH=$tmp/bin:$PATH NODE_NAME=n1 LABEL=l=1 INTERVAL=5 sh "$tmp/attach.sh" >"$tmp/out" 2>&1
is "$(grep '^smc_bpf attach' "$CALLS" | sort)" "smc_bpf attach --cgroup $systemd
smc_bpf attach --cgroup $tmp/cgroup/kubepods/besteffort/pod9-f" 'Kubernetes: pods are found by either way to name groups, attached once'
like "$(grep -m1 ^curl "$CALLS")" 'Authorization: Bearer TOKEN.*fieldSelector=spec.nodeName=n1 .*labelSelector=l=1 https://' \
	'Kubernetes: the API is asked for this node and label'
if [ -x "$BUILD/smc_bpf" ]; then
	like "$("$BUILD/smc_bpf" --help)" ' --cgroup ' 'smc_bpf has --cgroup'
else
	skip 'smc_bpf has --cgroup' 'it is not built'
fi

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
	is "$(cat "$tmp/log")" '' "$file: instructions and stages"
	awk '/^RUN /, !/\\$/' "$file" | sed 's/^RUN //' >"$tmp/run.sh"
	shellcheck -s sh "$tmp/run.sh" >"$tmp/log"
	ok $? "$file: shellcheck has nothing to say" || diag "$(cat "$tmp/log")"
done
missing=
for package in $(awk '/AS build/, /COPY/' packaging/container/Containerfile | tr -s '\\\t ' '\n' | grep -E '^lib.*-dev$' | grep -v libc6); do
	grep -q "$package" README.md Makefile || missing="$missing $package"
done
is "$missing" '' 'Containerfile: installs what the README says'
missing=
words=$(awk '/AS build/, /COPY/' packaging/container/Containerfile | tr -s '\\\t ' '\n')
packages=$(awk -F'|' '$2 ~ /^ (build|`smc_bpf`, left out)/ { print $3 }' README.md)
for package in $packages; do
	echo "$words" | grep -qxF -e "$package" || missing="$missing $package"
done
is "$missing" '' 'and all that building needs'
plan_done
