#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""smc_chk --html: data in the page, its output file, and what a browser shows."""
import base64
import hashlib
import html.parser
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

from recorded import BUNDLE, BUILD, done, ok, skip, skip_all, unpack

TOP = tempfile.TemporaryDirectory()
TMP = TOP.name + "/tmp"
OUT = TOP.name + "/out"
ENV = dict(os.environ, TMPDIR=TMP, LC_ALL="C")
EVIL = "<script>a&'\""
EVIL_PROCESS = "</script><!--"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# The data of the page, and the tools that print the same.
ELEMENTS = {"doctor": "smc_chk doctor -j", "sockets": "smcss -a -j -o state,inode,local,peer,mode,reason,process", "devices": "smc_pnet -l -j",
            "links": "smcr -j linkgroup link-show", "groups": "smcd -j linkgroup", "ueids": "smcr -j ueid", "info": "smcr -j info"}
# The page in frames of several widths, with everything expanded: is an element wider than its frame?
WRAPPER = """<!DOCTYPE html><meta charset="utf-8"><body>%s<script>
addEventListener("load", () => {
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, root = page.documentElement;
    for (const part of page.querySelectorAll("details")) part.open = true;
    const line = document.createElement("p");
    line.textContent = JSON.stringify([frame.title, root.scrollWidth, root.clientWidth, root.scrollHeight]);
    document.body.append(line);
  }
});
</script>"""


def run(*argv, root=None, **more):
    env = dict(ENV, SMC_TOOLS_ROOT=root) if root else ENV
    result = subprocess.run([BUILD + "/smc_chk", *argv], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                            check=False, **more)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def said_of(root, command, *more):
    argv = [BUILD + "/" + command.split()[0], *command.split()[1:], *more]
    result = subprocess.run(argv, env=dict(ENV, SMC_TOOLS_ROOT=root), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    return result.stdout.decode()


class Page(html.parser.HTMLParser):
    """Elements as a browser without script reads them: name, attributes, text."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))

    def handle_endtag(self, tag):
        self.elements.append(("", {}, []))

    def handle_data(self, data):
        if self.elements:
            self.elements[-1][2].append(data)

    def of(self, tag, **attributes):
        return ["".join(text) for name, found, text in self.elements if name == tag and attributes.items() <= found.items()]

    def data(self, name):
        return self.of("script", id=name)[0].replace("\\u003c", "<")


def check_template(text):
    """It runs and loads nothing except its own script and style."""
    page = Page(text)
    tags = [(tag, *sorted(attributes)) for tag, attributes, _ in page.elements if tag in ("script", "style")]
    ok(tags == [("style",), ("script",)] + [("script", "id", "type")] * len(ELEMENTS) and list(ELEMENTS) ==
       [attributes["id"] for tag, attributes, _ in page.elements if "id" in attributes], "one style, one script, data", tags)
    policy = next(attributes["content"] for _, attributes, _ in page.elements if "http-equiv" in attributes)
    style, script = page.of("style")[0], [one for one in page.of("script") if not one.startswith("{")][0]
    hashes = ["'sha256-%s'" % base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (style, script)]
    ok([one.split() for one in policy.split(";")] == [["default-src", "'none'"], ["style-src", hashes[0]], ["script-src", hashes[1]],
       ["base-uri", "'none'"], ["form-action", "'none'"], ["require-trusted-types-for", "'script'"], ["trusted-types", "'none'"]],
       "the policy allows only these two", (policy, hashes))
    bad = re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|://|url\(|@import|fetch", style + script)
    ok(not bad and text.startswith("<!DOCTYPE html>\n<html lang=\"en\">") and "<noscript>" in text, "the script makes elements, not HTML", bad)
    check_contrast(style)


def luminance(color):
    digits = color[1:] if len(color) == 7 else "".join(c * 2 for c in color[1:])
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def check_contrast(style):
    """WCAG: contrast of 4.5 for text, on all of its backgrounds."""
    kinds = ("ok", "warning", "problem")
    pairs = [(text, ground) for text in ("ink", "soft") for ground in ("page", "card", "code", *[kind + "bg" for kind in kinds])]
    pairs += [(kind, kind + "bg") for kind in (*kinds, "note")] + [("r", "card"), ("d", "card"), ("tcp", "card")]
    for number, name in enumerate(("light", "dark")):
        colors = dict(re.findall(r"--(\w+): (#\w+)", re.findall(r":root \{([^}]*)\}", style)[number]))
        low = []
        for text, ground in pairs:
            one, other = sorted((luminance(colors[text]), luminance(colors[ground])))
            if (other + 0.05) / (one + 0.05) < 4.5:
                low.append((text, ground, (other + 0.05) / (one + 0.05)))
        ok(not low, "contrast of its colors, " + name, low)


# ---- a host ----

def hostile(root):
    """Untrusted names: host, device, process."""
    with open(root + "/sys/class/net@list", "a", encoding="ascii") as file:
        file.write(EVIL + "\n")
    shutil.copytree(root + "/sys/class/net/eth0", root + "/sys/class/net/" + EVIL)
    with open(root + "/probes/holders", encoding="ascii") as file:
        lines = file.read().replace(" sockets", " " + EVIL_PROCESS)
    with open(root + "/probes/holders", "w", encoding="ascii") as file:
        file.write(lines)
    with open(root + "/probes/host-name", "w", encoding="latin-1") as file:
        file.write("0\n" + EVIL + "\x1b[2J\xe9")
    with open(root + "/probes/date", "w", encoding="ascii") as file:
        file.write("0\n2026-11-27 09:30 UTC")


def check_host():
    root = unpack(TOP.name + "/host")
    hostile(root)
    status, text, err = run("--html", "-", root=root)
    page = Page(text)
    check_template(text)
    wrong = [name for name, command in ELEMENTS.items() if page.data(name) != said_of(root, command)]
    said = json.loads(page.data("doctor"))
    ok(status == said["status"] == 0 and not err and not wrong, "the JSON of each tool, the status of the doctor", (status, err, wrong))
    ok(text.isascii() and text.count("<script") == 1 + len(ELEMENTS) and EVIL in said["host"] and
       {said["kernel"], said["date"]} == {"6.12.95+deb12-amd64", "2026-11-27 09:30 UTC"} and
       any(device["device"] == EVIL for device in json.loads(page.data("devices"))["devices"]) and
       any(EVIL_PROCESS == one["command"] for socket in json.loads(page.data("sockets"))["sockets"] for one in socket.get("processes", [])),
       "hostile names, which end no element", said)
    status, text, err = run("doctor", "-i", "lo", "--problems", "--html", "-", root=root)
    ok(Page(text).data("doctor") == said_of(root, "smc_chk doctor --problems -i lo -j") and '"net_device":"lo"' in text, "of one device, only problems",
       (status, text[-300:], err))
    return root


def check_bare(root):
    """No SMC, so some tools have only a message."""
    with open(root + "/probes/socket-af_smc", "w", encoding="ascii") as file:
        file.write("-97\n")
    shutil.rmtree(root + "/netlink")
    status, text, err = run("--html", OUT + "/bare.html", root=root)
    page, said = Page(content("bare.html")), said_of(root, ELEMENTS["sockets"])
    ok(status == json.loads(page.data("doctor"))["status"] != 0 and not err and page.data("sockets") == said and said.startswith("smcss: "),
       "no SMC: messages of tools", (status, err, said))


# ---- where it goes ----

def content(name):
    with open(OUT + "/" + name, encoding="utf-8") as file:
        return file.read()


def check_file(root):
    status, text, err = run("--html", "new.html", root=root, cwd=OUT)
    ok(status == 0 and text.startswith("new.html: ") and not err and content("new.html").endswith("</footer>\n") and
       stat.S_IMODE(os.stat(OUT + "/new.html").st_mode) == 0o600, "a new file is private", (status, text, err))
    os.chmod(OUT + "/new.html", 0o644)
    with open(OUT + "/new.html", "w", encoding="ascii") as file:
        file.write("old")
    with open(OUT + "/new.html", encoding="ascii") as old:
        status, text, err = run("doctor", "--html", OUT + "/new.html", root=root)
        ok(status == 0 and old.read() == "old" and content("new.html").endswith("</footer>\n") and
           stat.S_IMODE(os.stat(OUT + "/new.html").st_mode) == 0o644, "one that is there is replaced, and keeps its mode", (status, err))
    with open(OUT + "/old.html", "w", encoding="ascii") as file:
        file.write("old")
    os.symlink("old.html", OUT + "/link.html")
    os.symlink("nowhere", OUT + "/dangling.html")
    os.mkfifo(OUT + "/fifo")
    before = sorted(os.listdir(OUT))
    for target, why in (("link.html", "not a regular file"), ("dangling.html", "not a regular file"), ("fifo", "not a regular file"),
                        (".", "not a regular file"), ("", "No such file or directory"), ("nowhere/x", "No such file or directory"),
                        ("old.html/x", "Not a directory"), ("x" * 300, "File name too long")):
        status, text, err = run("--html", target, root=root, cwd=OUT)
        ok(status == 1 and not text and err.count("\n") == 1 and why in err and sorted(os.listdir(OUT)) == before and
           content("old.html") == "old", "refused: '%.20s', %s" % (target, why), (status, text, err))
    status, text, err = run("doctor", "-i", "nosuch", "--html", OUT + "/old.html", root=root)
    ok(status == 1 and not text and err == "smc_chk: no net device 'nosuch'\n" and content("old.html") == "old" and
       sorted(os.listdir(OUT)) == before, "after an error nothing has changed", (status, text, err))


def check_options(root):
    for argv, why in ((("--html", "x", "-j"), "exclude each other"), (("doctor", "-j", "--html", "x"), "exclude each other"),
                      (("--html", "x", "-s"), "exclude each other"), (("--html", "x", "-C", "h"), "exclude each other"),
                      (("--html", "x", "-d"), "exclude each other"), (("--html",), "needs an argument")):
        status, text, err = run(*argv, root=root, cwd=OUT)
        ok(status == 1 and not text and err.count("\n") == 1 and why in err and not os.path.exists(OUT + "/x"), "refused: " + " ".join(argv),
           (status, text, err))
    status, text, err = run("--h", root=root)
    ok(status == 0 and text == run("--help")[1], "--h is --help, as it was", (status, err))


def check_from():
    status, text, err = run("from", BUNDLE, "--html", "from.html", cwd=OUT)
    said = json.loads(Page(content("from.html")).data("doctor")) if not status else {}
    ok(status == 0 and said.get("warnings") == 2 and not err and not os.listdir(TMP), "the page of a bundle", (status, text, err, os.listdir(TMP)))


# ---- a browser ----

def browse(browser, name, *more):
    """Return: the document after its script has run."""
    argv = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files", "--window-size=1300,1000",
            "--user-data-dir=" + TOP.name + "/profile", "--virtual-time-budget=20000", "--dump-dom", *more, "file://" + OUT + "/" + name]
    result = subprocess.run(argv, env=dict(ENV, HOME=TOP.name), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300, check=False)
    return result.stdout.decode()


def check_browser(root):
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        skip("what a browser shows", "there is no chromium")
        return
    page = Page(browse(browser, "new.html"))
    doctor, sockets, devices = [json.loads(page.data(name)) for name in ("doctor", "sockets", "devices")]
    shown = " ".join("".join(text) for tag, _, text in page.elements if tag not in ("script", "style", "noscript"))
    want = ["SMC can work here: 2 warnings", doctor["first"], doctor["kernel"], doctor["date"], EVIL, EVIL_PROCESS]
    for one in doctor["findings"]:
        want += [one["text"], one.get("remedy", ""), one.get("object", "")]
    for one in sockets["sockets"]:
        want += [one.get("reason", {}).get(key, "") for key in ("meaning", "symbol")]
        want += [("[%s]:%d" if ":" in end["address"] else "%s:%d") % (end["address"], end["port"]) for end in (one.get("local"), one.get("peer")) if end]
    for one in devices["devices"]:
        want += [one["device"], one.get("pnetid", "")]
    want += ["SMC-R 00000300", "SMC-D 00000200", "SMC-LAB-EID"]
    missing = [text for text in want if text not in shown]
    headings = [int(tag[1]) for tag, _, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    ok(not missing and headings[0] == 1 and headings.count(1) == 1 and all(b - a <= 1 for a, b in zip(headings, headings[1:])) and
       len(page.of("tr")) == 2 + len(sockets["sockets"]) + len(devices["devices"]),
       "a browser shows everything", (missing, headings, len(page.of("tr"))))
    page = Page(browse(browser, "bare.html"))
    ok(page.data("sockets").strip() in page.of("p") and page.of("h1")[0] + "." in said_of(root, "smc_chk doctor"), "and messages of tools", page.of("p"))
    with open(OUT + "/evil.html", "w", encoding="ascii") as file:
        file.write(content("new.html").replace("<footer>", "<script>document.body.textContent = ''</script><img onerror='document.title = 0'><footer>"))
    page = Page(browse(browser, "evil.html"))
    ok(page.of("title")[0].endswith(" warnings") and page.of("h1"), "no other script runs", page.of("title"))
    frames = ['<iframe title="%s %d" src="%s" style="border:0;width:%dpx;height:900px"></iframe>' % (name, width, name, width)
              for name in ("new.html", "from.html", "bare.html") for width in (400, 1200)]
    with open(OUT + "/wrapper.html", "w", encoding="ascii") as file:
        file.write(WRAPPER % "".join(frames))
    text = browse(browser, "wrapper.html")
    lines = [json.loads(line) for line in re.findall(r"<p>(\[.*?\])</p>", text)]
    ok(len(lines) == len(frames) and all(wide <= window and high > 900 for _, wide, window, high in lines), "in 400 and 1200 pixels", (lines, text[-300:]))


if os.path.exists(BUILD + "/smc_chk") and sys.byteorder == "big":
    skip_all("pages", "the recorded host is little-endian")
for made in (TMP, OUT):
    os.mkdir(made)
host = check_host()
check_file(host)
check_options(host)
check_from()
check_bare(host)
check_browser(host)
done()
