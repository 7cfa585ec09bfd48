#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""smc_chk bundle --anonymous: nothing in it identifies the host, and its facts about SMC are the same."""
import gzip
import ipaddress
import json
import os
import re
import subprocess
import tarfile
import tempfile

import recorded
from recorded import BUILD, done, ok

TOP = tempfile.TemporaryDirectory()
HOST = os.uname().nodename
recorded.needs("anonymous", "kernel")


def make(name, *argv, host=None):
    """Write a bundle of this machine with the recorded answers of netlink."""
    path = "%s/%s.tar.gz" % (TOP.name, name)
    env = dict(os.environ, LD_PRELOAD=BUILD + "/tests/cli/kernel.so", KERNEL_ROOT=host, LC_ALL="C")
    result = subprocess.run([BUILD + "/smc_chk", "bundle", path, *argv], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, timeout=300, check=False)
    if result.returncode:
        return result
    with tarfile.open(path) as tar:
        return {info.name: tar.extractfile(info).read() for info in tar if info.isfile()}


def asked(name, *argv):
    result = subprocess.run([BUILD + "/smc_chk", "from", "%s/%s.tar.gz" % (TOP.name, name), *argv], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    return json.loads(result.stdout)


def originals(files):
    """Every address, EID, PNET ID, MAC and name of the host in a whole bundle."""
    text = b"\n".join(files.values()).decode("latin-1")
    ips = set()
    for word in re.findall(r"[0-9a-fA-F:.]{3,}", text):
        try:
            ips.add(ipaddress.ip_address(word))
        except ValueError:
            pass
    ips = {ip.ipv4_mapped or ip if ip.version == 6 else ip for ip in ips}
    ips = {ip for ip in ips if not ip.is_loopback and not ip.is_multicast and not ip.is_unspecified and
           not (ip.version == 4 and (ip.packed[0] in (0, 127) or ip.packed[0] >= 224)) and ip != ipaddress.ip_address("fe80::")}
    names = {HOST, *asked("whole", "smcd", "-j", "ueid")["ueids"],
             *(entry["pnetid"] for entry in asked("whole", "smc_pnet", "-j")["entries"])}
    docs = [asked("whole", *argv, "-j") for argv in (["smcd", "linkgroup"], ["smcr", "linkgroup"], ["smcd", "seid"], ["smc_pnet", "-l"])]
    names |= set(re.findall(r'"(?:peer_host|eid|pnetid|seid)": *"([^" ]+)"', json.dumps(docs)))
    macs = set(re.findall(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", text)) - {"00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff"}
    for top in os.listdir("/sys/class/net"):
        if os.path.exists("/sys/class/net/%s/address" % top):
            with open("/sys/class/net/%s/address" % top, encoding="ascii") as file:
                macs.add(file.read().strip())
    return ips, {name for name in names if re.search("[A-Za-z0-9]", name)}, macs - {"00:00:00:00:00:00", ""}


def spellings(ips, names, macs):
    for ip in ips:
        yield str(ip).encode()
        yield ip.exploded.encode()
        yield ip.packed
        if ip.version == 4:
            yield "ffff:%02x%02x:%02x%02x".encode() % tuple(ip.packed)
            yield ip.packed[::-1]
    for name in names:
        yield from {name.encode(), name.lower().encode(), name.upper().encode()}
        yield name.encode("cp500")
    for mac in macs:
        yield mac.encode()
        yield mac.upper().encode()
        yield mac.replace(":", "").encode()
        raw = bytes.fromhex(mac.replace(":", ""))
        if raw.strip(b"\0") and len(raw.strip(b"\0")) > 3:
            yield raw
            yield "%02x%02x:%02xff:fe%02x:%02x%02x".encode() % tuple(raw)


def is_word(data, word):
    """A short host name is part of many words: only whole words are replaced."""
    if len(word) > 5 or not word.isalnum():
        return word in data
    return re.search(rb"(?<![0-9A-Za-z])" + re.escape(word) + rb"(?![0-9A-Za-z])", data)


def check_names(whole, anonymous):
    found = originals(whole)
    ok(all(found[:2]) and sum(map(len, found)) > 6, "the whole bundle has names and addresses", found)
    left = [(word, name) for word in set(spellings(*found)) for name, data in anonymous.items()
            if not name.endswith("config.gz") and is_word(data, word) or is_word(name.encode(), word)]
    ok(not left, "none of %d is in the anonymous one, in no spelling" % sum(map(len, found)), left[:20])
    kept = {name.split("/")[1] for name in anonymous}
    ok(kept == {"index.json", "record"} and not any("/user-" in name or "/holders" in name or re.search("/proc/[0-9]", name)
                                                    for name in anonymous), "no outputs, no processes", kept)


def check_texts(whole, anonymous):
    """Data that is no name, but identifies the host."""
    config = [name for name in anonymous if name.endswith("config.gz") or "/boot/config-" in name]
    texts = [gzip.decompress(anonymous[name]) if name.endswith(".gz") else anonymous[name] for name in config]
    ok(all(b"CONFIG_" in text and b'"' not in text for text in texts), "a kernel's configuration without its texts", config)
    lists = [name for name in anonymous if name.endswith("modprobe.d@list") and anonymous[name]]
    ok(all(anonymous[name] != whole[name] and len(anonymous[name]) == len(whole[name]) for name in lists),
       "files of modprobe.d have other names", [anonymous[name] for name in lists])
    release = anonymous.get("smc-bundle/record/etc/os-release", b"")
    ok(re.fullmatch(rb"(ID=[a-z-]+\nVERSION_ID=\d*\n)?", release), "the distribution, if there is a row for it", release)
    created = json.loads(anonymous["smc-bundle/index.json"])["created"]
    ok(created.endswith("T00:00:00Z"), "the day, not the time", created)


def gids(files):
    """SMC-D GIDs in the kernel's format."""
    record = files["smc-bundle/record/netlink/SMC_GEN_NETLINK/4"]
    attributes = re.findall(rb"\x0c\0[\x02\x03\x0a\x0b]\0(.{8})", record, re.DOTALL)
    return {gid for gid in attributes if gid.strip(b"\0")}


def shape(doc):
    """Findings of the doctor, without names. The note on traffic counts what programs of this machine have learned."""
    return sorted((f["check"], f["level"]) for f in doc["findings"]
                  if f["check"] not in ("shim", "kernel") and (f["check"], f["level"]) != ("traffic", "note"))


def eid_of(files):
    """Messages after the headers, which have numbers of the process."""
    return files["smc-bundle/record/netlink/SMC_GEN_NETLINK/9"][-40:]


def main():
    with recorded.new_directory() as directory:
        host = recorded.unpack(directory)
        key = TOP.name + "/key"
        with open(key, "wb") as file:
            file.write(bytes(range(40)))
        whole = make("whole", host=host)
        anonymous = make("anonymous", "--anonymous", host=host)
        check_names(whole, anonymous)
        check_texts(whole, anonymous)
        ok(gids(whole) and not [gid for gid in gids(whole) for data in anonymous.values() if gid in data], "no GID of SMC-D", gids(whole))
        # The record has the files of each of these.
        for argv in (["smcss", "-a", "-p", "-j"], ["smcss", "-a", "-d"], ["smcss", "-D"], ["smcss", "-R"]):
            answer = subprocess.run([BUILD + "/smc_chk", "from", TOP.name + "/whole.tar.gz", *argv], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True, timeout=300, check=False)
            ok(answer.returncode == 0 and not answer.stderr, "from FILE %s" % " ".join(argv), answer)
        ok(shape(asked("whole", "doctor", "-j")) == shape(asked("anonymous", "doctor", "-j")), "the doctor says the same",
           (shape(asked("whole", "doctor", "-j")), shape(asked("anonymous", "doctor", "-j"))))
        one, other = (make(name, "--anonymous", "--key", key, host=host) for name in ("one", "other"))
        same = [name for name in one if name in other and one[name] != other[name]]
        ok(not [n for n in same if "buddyinfo" not in n and "index" not in n and "netlink" not in n] and
           eid_of(one) == eid_of(other) != eid_of(anonymous), "one key, the same pseudonyms; without a key others", same)
        index = json.loads(one["smc-bundle/index.json"])
        ok(index["anonymous"] is True and index["commands"] == [] and index["host"] != HOST, "index.json", index)
        with open(key, "wb") as file:
            file.write(b"short")
        for argv, words in ((("--anonymous", "--key", key), "fewer than 16 bytes"), (("--anonymous", "--key", TOP.name + "/no"), "cannot open"),
                            (("--key", key), "is only for '--anonymous'")):
            result = make("refused", *argv, host=host)
            ok(result.returncode == 1 and words in result.stderr and not os.path.exists(TOP.name + "/refused.tar.gz"),
               "refused: %s" % words, result)
    done()


main()
