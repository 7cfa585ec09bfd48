// SPDX-License-Identifier: MIT
/* Doctor: does SELinux let the enabled services use SMC? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/file.h"
#include "process/selinux.h"
#include "smc_chk/doctor/findings.h"

#define DIRECTORY_END ".service.d"

/* Its oldest process is the first of the list: of a service of the system, not of a template. */
static int service_pid(const char *unit)
{
	char path[320], text[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/sys/fs/cgroup/system.slice/%s/cgroup.procs", unit);
	file = fopen(path, "re");
	if (file) {
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		fclose(file);
	}
	return atoi(text);
}

/* The library tries both kinds of sockets, eBPF makes one. */
static int probe_service(void *arg, char text[HOST_PROBE_SIZE])
{
	const struct service_facts *service = arg;
	int pid = service_pid(service->unit), ret;

	if (pid <= 0)
		return -ESRCH;
	ret = selinux_denies(pid, SELINUX_IPPROTO_SMC, text);
	if (ret > 0 && !service->is_bpf)
		ret = selinux_denies(pid, SELINUX_AF_SMC, text);
	return ret;
}

/* From the name of the directory with its drop-ins, if ours is among them. */
static bool take_service(struct service_facts *service, const char *directory)
{
	size_t len = strlen(directory);
	char lines[4096];
	int ret;

	if (len < sizeof(DIRECTORY_END) || len >= sizeof(service->unit) ||
	    strcmp(directory + len + 1 - sizeof(DIRECTORY_END), DIRECTORY_END) ||
	    !host_text(lines, sizeof(lines), "/etc/systemd/system/%s/zz-smc-tools.conf", directory))
		return false;
	snprintf(service->unit, sizeof(service->unit), "%.*s", (int)(len - strlen(".d")),
		 directory);
	service->is_bpf = strstr(lines, "/smc_bpf") != NULL;
	ret = host_probe("selinux-%s", probe_service, service, service->domain, service->unit);
	service->denies = ret > 0;
	return ret >= 0;
}

void facts_load_selinux(struct selinux_facts *selinux)
{
	struct host_names names;
	unsigned long enforcing = 0;

	host_number(&enforcing, "/sys/fs/selinux/enforce");
	selinux->is_enforcing = enforcing == 1;
	if (!selinux->is_enforcing || host_list(&names, "/etc/systemd/system"))
		return;
	for (size_t i = 0; i < names.count && selinux->n_services < FACTS_SERVICES_MAX; i++)
		selinux->n_services +=
			take_service(&selinux->services[selinux->n_services], names.names[i]);
	host_names_free(&names);
}

/* A name that the policy gave, or a stranger's record. */
static bool is_typable(const char *domain)
{
	return *domain && !domain[strspn(domain, "abcdefghijklmnopqrstuvwxyz"
						 "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")];
}

static void say_denied(struct doctor *doc, const struct service_facts *service)
{
	const char *remedy = NULL;

	if (service->is_bpf) {
		doctor_say(doc, DOCTOR_PROBLEM, "selinux", service->unit,
			   doctor_command(doc, "smc_unit enable --preload ", service->unit, ""),
			   "SELinux denies " SELINUX_IPPROTO_SMC " to %s: by eBPF it can open "
			   "no TCP socket either",
			   service->domain);
		return;
	}
	if (is_typable(service->domain))
		remedy = doctor_remedy(doc,
				       "echo '(typeattributeset smc_domain %s)' >smc_%s.cil && "
				       "semodule -i /usr/share/smc-tools/smc_tools.cil -i "
				       "smc_%s.cil",
				       service->domain, service->domain, service->domain);
	doctor_say(doc, DOCTOR_WARNING, "selinux", service->unit, remedy,
		   "stays on TCP: SELinux denies " SELINUX_AF_SMC " to %s", service->domain);
}

void doctor_selinux(struct doctor *doc)
{
	const struct selinux_facts *selinux = &doc->facts->selinux;
	size_t denied = 0;

	for (size_t i = 0; i < selinux->n_services; i++) {
		if (!selinux->services[i].denies)
			continue;
		say_denied(doc, &selinux->services[i]);
		denied++;
	}
	if (selinux->is_enforcing && !denied && selinux->n_services)
		doctor_ok(doc, "selinux", NULL, "lets all %zu enabled services use SMC",
			  selinux->n_services);
}
