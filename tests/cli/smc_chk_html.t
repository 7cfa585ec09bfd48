#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: MIT
"""smc_chk --html: content of the pages, their output files, and the layout in a browser."""
import json
import os
import re
import signal
import shutil
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as etree

from recorded import BUNDLE, BUILD, done, ok, skip, skip_all, unpack

TOP = tempfile.TemporaryDirectory()
TMP = TOP.name + "/tmp"
OUT = TOP.name + "/out"
ENV = dict(os.environ, TMPDIR=TMP, LC_ALL="C")
EVIL = "<script>a&'\""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# The page in frames of several widths, with everything expanded: is an element wider than its frame or box?
WRAPPER = """<!DOCTYPE html><meta charset="utf-8"><body>%s<script>
addEventListener("load", () => {
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, root = page.documentElement, wide = [];
    for (const part of page.querySelectorAll("details")) part.open = true;
    for (const box of page.querySelectorAll(".picture g")) {
      const most = box.querySelector("rect").getBBox();
      for (const text of box.querySelectorAll("text")) {
        const own = text.getBBox();
        if (own.x + own.width > most.x + most.width + 1) wide.push(text.textContent);
      }
    }
    const line = document.createElement("p");
    line.textContent = JSON.stringify([frame.title, root.scrollWidth, root.clientWidth, root.scrollHeight, wide]);
    document.body.append(line);
  }
});
</script>"""


def run(*argv, root=None, **more):
    env = dict(ENV, SMC_TOOLS_ROOT=root) if root else ENV
    result = subprocess.run([BUILD + "/smc_chk", *argv], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                            check=False, **more)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def said_of(root, *argv):
    result = subprocess.run([BUILD + "/" + argv[0], *argv[1:]], env=dict(ENV, SMC_TOOLS_ROOT=root), stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, timeout=300, check=False)
    return json.loads(result.stdout)


def words(element):
    return " ".join("".join(element.itertext()).split())


def escaped(name):
    return "".join(c if " " <= c <= "~" and c != "\\" else "\\x%02x" % b for c in name for b in c.encode("latin-1"))


def check_page(text, name):
    """It is well-formed, self-contained, and has no scripts. Return: its root."""
    page = etree.fromstring(text.split("\n", 1)[1])
    tags = {element.tag for element in page.iter()}
    attributes = {(key, value) for element in page.iter() for key, value in element.items()}
    bad = [(key, value) for key, value in attributes
           if key.startswith("on") or key in ("href", "src", "srcset", "action", "style", "data", "background") or "://" in value]
    style = page.find("head/style").text
    ok(not bad and not tags & {"script", "link", "a", "img", "iframe", "object", "embed", "form", "base", "input", "foreignObject"} and
       "url(" not in style and "@import" not in style and "://" not in text, name + ": it refers to nothing and runs nothing",
       (bad, sorted(tags)))
    policy = [element.get("content") for element in page.iter("meta") if element.get("http-equiv") == "Content-Security-Policy"]
    headings = [int(element.tag[1]) for element in page.iter() if re.fullmatch("h[1-6]", element.tag)]
    pictures = [element for element in page.iter("svg") if element.get("aria-hidden") != "true"]
    ok(text.startswith("<!DOCTYPE html>\n") and page.get("lang") == "en" and page.find("head/meta").get("charset") == "utf-8" and
       len(policy) == 1 and policy[0].startswith("default-src 'none'; style-src 'unsafe-inline'") and words(page.find("head/title")) and
       headings[0] == 1 and headings.count(1) == 1 and all(b - a <= 1 for a, b in zip(headings, headings[1:])) and
       all(svg.get("role") == "img" and svg[0].tag == "title" and svg[1].tag == "desc" for svg in pictures) and
       all(th.get("scope") for th in page.iter("th")), name + ": language, policy, title, headings, pictures with words", (policy, headings))
    return page


def luminance(color):
    digits = color[1:] if len(color) == 7 else "".join(c * 2 for c in color[1:])
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def check_contrast(style):
    """WCAG: contrast of 4.5 for text, on all of its backgrounds."""
    pairs = [(text, ground) for text in ("ink", "soft") for ground in ("page", "card", "code", "okbg", "warnbg", "badbg")]
    pairs += [(kind, kind + "bg") for kind in ("ok", "warn", "bad", "note")]
    pairs += [("r", "card"), ("d", "card"), ("tcp", "card"), ("r", "notebg"), ("d", "okbg")]
    for number, name in enumerate(("light", "dark")):
        colors = dict(re.findall(r"--(\w+):(#\w+)", re.findall(r":root\{([^}]*)\}", style)[number]))
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
        lines = file.read().replace(" sockets", " " + EVIL)
    with open(root + "/probes/holders", "w", encoding="ascii") as file:
        file.write(lines)
    with open(root + "/probes/host-name", "w", encoding="latin-1") as file:
        file.write("0\n" + EVIL + "\x1b[2J\xe9")
    with open(root + "/probes/date", "w", encoding="ascii") as file:
        file.write("0\n2026-11-27 09:30 UTC")


def check_sockets(page, root):
    table = next(part for part in page.iter("section") if words(part[0]) == "Sockets of SMC").find("table")
    rows = [[words(cell) for cell in row] for row in table.find("tbody")]
    want = []
    names = {"SMCR": "SMC-R", "SMCD": "SMC-D", "TCP": "TCP"}
    for sock in said_of(root, "smcss", "-a", "-p", "-j")["sockets"]:
        ends = [sock.get(end, {}) for end in ("local", "peer")]
        ends = [("[%s]:%d" if ":" in end["address"] else "%s:%d") % (end["address"], end["port"]) if "port" in end else "" for end in ends]
        reason = sock.get("reason")
        mode = names.get(sock.get("mode")) or ("waits for clients" if sock["state"] == "LISTEN" else "not connected")
        process = ", ".join("%s (%d)" % (holder["command"], holder["pid"]) for holder in sock.get("processes", []))
        want.append([mode, *ends, "%s (%s)" % (reason["meaning"], reason["symbol"]) if reason else "", process, sock["state"]])
    ok(sorted(rows) == sorted(want) and len(rows) == 10 and EVIL in rows[1][4], "each socket: mode, addresses, reason, process, state",
       (sorted(rows), sorted(want)))


def check_devices(page, root):
    part = next(part for part in page.iter("section") if words(part[0]) == "Devices")
    rows = {words(row[0]): [words(cell) for cell in row] for row in part.find("details/table/tbody")}
    boxes = [words(text) for text in part.iter("text")]
    devices = said_of(root, "smc_pnet", "-l", "-j")["devices"]
    missing = [device for device in devices
               if rows.get(device["device"] + (" port %d" % device["port"] if "port" in device else ""), [""] * 4)[3] != device.get("pnetid", "") or
               device["device"] not in boxes]
    ok(not missing and len(rows) == len(devices) == 5 and EVIL in boxes, "each device, in a picture and in a table", (missing, rows, boxes))
    figures = {words(figure[0]): [words(text) for text in figure.iter("text")] for figure in part.iter("figure")}
    ok(figures["PNET ID NET2"] == ["no net device", "has this PNET ID", "rxe0", "port 1, ACTIVE", "SMC-R 00000300", "link 1, 1 connection"] and
       figures["Without a PNET ID"].index("loopback") < figures["Without a PNET ID"].index("SMC-D 00000200"),
       "link groups below their devices", figures)


def check_host():
    root = unpack(TOP.name + "/host")
    hostile(root)
    status, text, err = run("--html", "-", root=root)
    said = said_of(root, "smc_chk", "-j")
    ok(status == said["status"] == 0 and not err, "a page on standard output, the status of the doctor", (status, err))
    page = check_page(text, "a host")
    ok("<script" not in text and text.isascii() and text.count("&lt;script&gt;a&amp;&#39;&quot;") > 5, "names are escaped")
    check_contrast(page.find("head/style").text)
    shown = words(page)
    ok(words(page.find("body/main/header//h1")) == "SMC can work here: %d warnings" % said["warnings"] and said["first"] in shown and
       escaped(EVIL + "\x1b[2J\xe9") in words(page.find("head/title")), "the verdict of the doctor, the name of the host", shown[:300])
    missing = [one for one in said["findings"] if " ".join(one["text"].split()) not in shown or one.get("remedy", "") not in shown]
    ok(not missing and "2026-11-27 09:30 UTC" in shown and "6.12.95+deb12-amd64" in shown, "all findings, date, kernel", missing)
    collapsed = words(page.find("body/main/section/details"))
    ok(all((one["text"] in collapsed) == (one["level"] == "ok") for one in said["findings"]), "what is ok is collapsed", collapsed)
    check_sockets(page, root)
    check_devices(page, root)
    status, text, err = run("doctor", "--problems", "--html", "-", root=root)
    ok(status == 0 and "checks are ok" not in text and "<h3>Notes" not in text and "<h3>Warnings" in text, "--problems", text[-300:])
    return root


def check_verdicts(root):
    """A problem, and no SMC at all."""
    status, text, err = run("doctor", "-i", "lo", "--html", "-", root=root)
    said = said_of(root, "smc_chk", "doctor", "-i", "lo", "-j")
    ok(status == said["status"] and "%d problem" % said["problems"] in text or not said["problems"], "of one device", (status, text[:300]))
    with open(root + "/probes/socket-af_smc", "w", encoding="ascii") as file:
        file.write("-97\n")
    status, text, err = run("--html", "-", root=root)
    said = said_of(root, "smc_chk", "-j")
    page = check_page(text, "no SMC")
    want = "cannot be tested" if said["status"] == 3 else "does not work"
    ok(status == said["status"] and want in words(page.find("body/main/header//h1")) and not err, "no SMC", (status, err, text[:300]))


# ---- where it goes ----

def content(name):
    with open(OUT + "/" + name, encoding="utf-8") as file:
        return file.read()


def check_file(root):
    status, text, err = run("--html", "new.html", root=root, cwd=OUT)
    ok(status == 0 and text.startswith("new.html: a page of ") and not err and content("new.html").endswith("</html>\n") and
       stat.S_IMODE(os.stat(OUT + "/new.html").st_mode) == 0o600, "a new file is private", (status, text, err))
    status, text, err = run("--html", "new.html", root=root, cwd=OUT, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    ok(status == 0 and not err and content("new.html").endswith("</html>\n"), "SIGCHLD ignored by the parent: the same", (status, err))
    os.chmod(OUT + "/new.html", 0o644)
    with open(OUT + "/new.html", "w", encoding="ascii") as file:
        file.write("old")
    with open(OUT + "/new.html", encoding="ascii") as old:
        status, text, err = run("doctor", "--html", OUT + "/new.html", root=root)
        ok(status == 0 and old.read() == "old" and content("new.html").endswith("</html>\n") and
           stat.S_IMODE(os.stat(OUT + "/new.html").st_mode) == 0o644, "one that is there is replaced, and keeps its mode", (status, err))
    with open(OUT + "/old.html", "w", encoding="ascii") as file:
        file.write("old")
    os.symlink("old.html", OUT + "/link.html")
    os.symlink("nowhere", OUT + "/dangling.html")
    os.mkfifo(OUT + "/fifo")
    before = sorted(os.listdir(OUT))
    for target, why in (("link.html", "not a regular file"), ("dangling.html", "not a regular file"), ("fifo", "not a regular file"),
                        (".", "not a regular file"), ("", "not a regular file"), ("nowhere/x", "No such file or directory"),
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
                      (("--html",), "needs an argument")):
        status, text, err = run(*argv, root=root, cwd=OUT)
        ok(status == 1 and not text and err.count("\n") == 1 and why in err and not os.path.exists(OUT + "/x"), "refused: " + " ".join(argv),
           (status, text, err))
    status, text, err = run("--h", root=root)
    ok(status == 0 and text == run("--help")[1], "--h is --help, as it was", (status, err))


def check_from():
    status, text, err = run("from", BUNDLE, "--html", "from.html", cwd=OUT)
    page = check_page(content("from.html"), "a bundle") if os.path.exists(OUT + "/from.html") else None
    ok(status == 0 and page is not None and "SMC can work here: 2 warnings" in words(page) and not err and not os.listdir(TMP),
       "the page of a bundle", (status, text, err, os.listdir(TMP)))


# ---- a browser ----

def check_browser():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    name = "a browser shows all of it in 400 and 1200 pixels"
    if not browser:
        skip(name, "there is no chromium")
        return
    pages, frames = ("new.html", "from.html"), []
    for page in pages:
        for width in (400, 1200):
            frames.append('<iframe title="%s %d" src="%s" style="border:0;width:%dpx;height:900px"></iframe>' % (page, width, page, width))
    with open(OUT + "/wrapper.html", "w", encoding="ascii") as file:
        file.write(WRAPPER % "".join(frames))
    argv = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files", "--window-size=1300,1000",
            "--user-data-dir=" + TOP.name + "/profile", "--virtual-time-budget=20000", "--dump-dom", "file://" + OUT + "/wrapper.html"]
    result = subprocess.run(argv, env=dict(ENV, HOME=TOP.name), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300, check=False)
    lines = [json.loads(line) for line in re.findall(r"<p>(\[.*?\])</p>", result.stdout.decode())]
    ok(len(lines) == len(frames) and all(wide <= window and high > 900 and not texts for _, wide, window, high, texts in lines), name,
       (result.returncode, lines, result.stdout[-300:]))


if os.path.exists(BUILD + "/smc_chk") and sys.byteorder == "big":
    skip_all("pages", "the recorded host is little-endian")
for made in (TMP, OUT):
    os.mkdir(made)
host = check_host()
check_file(host)
check_options(host)
check_from()
check_browser()
check_verdicts(host)
done()
