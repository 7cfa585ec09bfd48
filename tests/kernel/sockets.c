// SPDX-License-Identifier: MIT
/*
 * Create the sockets that a test needs, print their addresses, and hold them until killed.
 *
 *   sockets SPEC...      SPEC = KIND:ROLE:ADDRESS[:PORT]    (ADDRESS in [] for IPv6)
 *     KIND   smc4 smc6 (AF_SMC), inet4 inet6 (IPPROTO_SMC), tcp4 tcp6,
 *            mptcp4 mptcp6
 *     ROLE   listen; pair (listener, client and accepted); connect; unaccepted (listener, client);
 *            bound; fresh; fastopen (client that fell back before it connected; PORT needed)
 *     many=N with role listen: N listeners on 127.x.y.z, one port
 *
 * One line of JSON for each socket, then "ready"; with -q only "ready".
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

struct spec {
	const char *text;
	bool is_v6;
	int family, protocol;
	char role[16];
	struct sockaddr_storage addr;
	socklen_t len;
	unsigned long many;
};

static bool is_quiet;

static int new_socket(const struct spec *spec)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&spec->addr;
	int fd = socket(spec->family, SOCK_STREAM, spec->protocol), on = 1;

	if (fd < 0)
		err(1, "%s: socket", spec->text);
	if (spec->is_v6 && !IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	return fd;
}

static void print_name(const char *key, int fd, int (*get)(int, struct sockaddr *, socklen_t *))
{
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	char ip[INET6_ADDRSTRLEN];

	if (get(fd, (struct sockaddr *)&name, &len))
		return;
	if (name.ss_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)&name;

		printf(", \"%s\": {\"address\": \"%s\", \"port\": %d}", key,
		       inet_ntop(AF_INET, &in->sin_addr, ip, sizeof(ip)), ntohs(in->sin_port));
	} else {
		const struct sockaddr_in6 *in6 = (const void *)&name;

		printf(", \"%s\": {\"address\": \"%s\", \"port\": %d}", key,
		       inet_ntop(AF_INET6, &in6->sin6_addr, ip, sizeof(ip)), ntohs(in6->sin6_port));
	}
}

static void tell(const struct spec *spec, const char *what, int fd)
{
	struct stat st;

	if (is_quiet)
		return;
	fstat(fd, &st);
	printf("{\"spec\": \"%s\", \"what\": \"%s\", \"fd\": %d, \"inode\": %llu", spec->text, what,
	       fd, (unsigned long long)st.st_ino);
	print_name("local", fd, getsockname);
	print_name("peer", fd, getpeername);
	puts("}");
}

static void bind_to(const struct spec *spec, int fd)
{
	if (bind(fd, (const struct sockaddr *)&spec->addr, spec->len))
		err(1, "%s: bind", spec->text);
}

static int listener(const struct spec *spec)
{
	int fd = new_socket(spec);

	bind_to(spec, fd);
	if (listen(fd, 128))
		err(1, "%s: listen", spec->text);
	return fd;
}

static void listen_many(struct spec *spec)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&spec->addr;
	const struct rlimit limit = { spec->many + 64, spec->many + 64 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		err(1, "RLIMIT_NOFILE");
	for (unsigned long i = 0; i < spec->many; i++) {
		in->sin_addr.s_addr = htonl(0x7f010000 + (uint32_t)i);
		listener(spec);
	}
}

static int client(const struct spec *spec, const struct sockaddr *to, socklen_t len)
{
	int fd = new_socket(spec), on = 1;

	if (!strcmp(spec->role, "fastopen") &&
	    setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof(on)))
		err(1, "%s: TCP_FASTOPEN_CONNECT", spec->text);
	if (connect(fd, to, len))
		err(1, "%s: connect", spec->text);
	return fd;
}

static void make_pair(const struct spec *spec)
{
	bool accepts = !strcmp(spec->role, "pair");
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	int server = listener(spec), fd, accepted;

	getsockname(server, (struct sockaddr *)&name, &len);
	fd = client(spec, (struct sockaddr *)&name, len);
	tell(spec, "listener", server);
	tell(spec, "client", fd);
	if (!accepts)
		return;
	accepted = accept(server, NULL, NULL);
	if (accepted < 0)
		err(1, "%s: accept", spec->text);
	if (write(fd, "0123456789", 10) != 10 || write(accepted, "01234", 5) != 5)
		err(1, "%s: write", spec->text);
	tell(spec, "accepted", accepted);
}

static void make(struct spec *spec)
{
	int fd;

	if (spec->many) {
		listen_many(spec);
	} else if (!strcmp(spec->role, "pair") || !strcmp(spec->role, "unaccepted")) {
		make_pair(spec);
	} else if (!strcmp(spec->role, "listen")) {
		tell(spec, "listener", listener(spec));
	} else if (!strcmp(spec->role, "connect") || !strcmp(spec->role, "fastopen")) {
		tell(spec, "client", client(spec, (struct sockaddr *)&spec->addr, spec->len));
	} else if (!strcmp(spec->role, "bound") || !strcmp(spec->role, "fresh")) {
		fd = new_socket(spec);
		if (spec->role[0] == 'b')
			bind_to(spec, fd);
		tell(spec, spec->role, fd);
	} else {
		errx(1, "%s: unknown role", spec->text);
	}
}

static void parse_kind(struct spec *spec, const char *kind, size_t len)
{
	spec->is_v6 = kind[len - 1] == '6';
	spec->family = spec->is_v6 ? AF_INET6 : AF_INET;
	if (!strncmp(kind, "smc", 3)) {
		spec->family = 43;
		spec->protocol = spec->is_v6;
	} else if (!strncmp(kind, "inet", 4)) {
		spec->protocol = 256;
	} else if (!strncmp(kind, "mptcp", 5)) {
		spec->protocol = 262;
	} else if (strncmp(kind, "tcp", 3)) {
		errx(1, "%s: unknown kind", spec->text);
	}
}

static void parse_addr(struct spec *spec, char *addr, const char *port)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&spec->addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&spec->addr;
	uint16_t number = htons((uint16_t)atoi(port));

	if (spec->is_v6) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = number;
		spec->len = sizeof(*in6);
	} else {
		in->sin_family = AF_INET;
		in->sin_port = number;
		spec->len = sizeof(*in);
	}
	if (inet_pton(spec->is_v6 ? AF_INET6 : AF_INET, addr,
		      spec->is_v6 ? (void *)&in6->sin6_addr : (void *)&in->sin_addr) != 1)
		errx(1, "%s: bad address %s", spec->text, addr);
}

static void parse(struct spec *spec, const char *text)
{
	char copy[128], *role, *addr, *port, *many;

	*spec = (struct spec){ .text = text };
	snprintf(copy, sizeof(copy), "%s", text);
	role = strchr(copy, ':');
	addr = role ? strchr(role + 1, ':') : NULL;
	if (!addr)
		errx(1, "%s: KIND:ROLE:ADDRESS[:PORT] expected", text);
	*role++ = *addr++ = '\0';
	snprintf(spec->role, sizeof(spec->role), "%s", role);
	many = strstr(addr, "many=");
	if (many) {
		spec->many = strtoul(many + 5, NULL, 10);
		many[-1] = '\0';
	}
	parse_kind(spec, copy, strlen(copy));
	port = addr;
	if (*addr == '[') {
		port = strchr(++addr, ']');
		*port++ = '\0';
	}
	port = strchr(port, ':');
	if (port)
		*port++ = '\0';
	parse_addr(spec, addr, port ? port : "0");
}

int main(int argc, char **argv)
{
	struct spec spec;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-q")) {
			is_quiet = true;
			continue;
		}
		parse(&spec, argv[i]);
		make(&spec);
	}
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
