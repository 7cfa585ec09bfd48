# SPDX-License-Identifier: MIT
"""A configuration of nginx that writes only below a directory of the test."""
import os

CONF = """
daemon off; master_process on; worker_processes %(workers)d; user root;
pid %(work)s/nginx.pid; error_log %(work)s/nginx.err;
events { worker_connections 512; }
http {
    access_log off; client_body_temp_path %(work)s/b; proxy_temp_path %(work)s/p;
    fastcgi_temp_path %(work)s/f; uwsgi_temp_path %(work)s/u; scgi_temp_path %(work)s/s;
    server { root %(work)s; %(server)s }
}
"""


def nginx_conf(work, server, workers=1):
    """Writes work/nginx.conf, with this text in the server block: its path, for nginx -c."""
    path = os.path.join(work, "nginx.conf")
    with open(path, "w", encoding="ascii") as file:
        file.write(CONF % {"work": work, "server": server, "workers": workers})
    return path
