// SPDX-License-Identifier: MIT
/* Doctor: check that AppArmor, SELinux and their units let the enabled services use SMC. */

#include "host/file.h"
#include "smc_chk/doctor/findings.h"

#define DIRECTORY_END ".service.d"

/* Set the service's name from the directory of its drop-ins. Return: true if it has ours. */
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
	service->is_bpf = strstr(lines, "/smc_bpf");
	ret = confined_unit(service->unit, NULL, service->is_bpf, service->why);
	service->is_denied = ret > 0;
	return ret >= 0;
}

void facts_load_services(struct services_facts *services)
{
	struct host_names names AUTO(host_names_free) = { 0 };

	if (host_list(&names, "/etc/systemd/system"))
		return;
	for (size_t i = 0; i < names.count && services->count < FACTS_SERVICES_MAX; i++)
		services->count += take_service(&services->all[services->count], names.names[i]);
}

void doctor_services(struct doctor *doc)
{
	const struct services_facts *services = &doc->facts->services;
	size_t denied = 0;

	for_each(service, services->all, services->count) {
		if (!service->is_denied)
			continue;
		denied++;
		doctor_say(doc, service->is_bpf ? DOCTOR_PROBLEM : DOCTOR_WARNING, "confinement",
			   service->unit, CONFINED_SEE, "%s%s",
			   service->is_bpf ? "" : "stays on TCP: ", service->why);
	}
	if (services->count && !denied)
		doctor_ok(doc, "confinement", NULL, "all enabled services (%zu) may use SMC",
			  services->count);
}
