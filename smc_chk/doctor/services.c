// SPDX-License-Identifier: MIT
/* Doctor: do AppArmor, SELinux and their units let the enabled services use SMC? */

#include "host/file.h"
#include "host/smc.h"
#include "smc_chk/doctor/findings.h"

#define DIRECTORY_END ".service.d"

/* Set the service's name from the directory of its drop-ins. Return: is ours among them? */
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
	ret = confined_unit(&service->confined, service->unit, NULL,
			    strstr(lines, "/smc_bpf") != NULL);
	service->is_denied = ret > 0;
	return ret >= 0;
}

void facts_load_services(struct services_facts *services)
{
	struct host_names names AUTO(host_names_free) = { 0 };

	services->module = confined_module();
	if ((!services->module && host_ipproto_smc() != -EPROTONOSUPPORT) ||
	    host_list(&names, "/etc/systemd/system"))
		return;
	for (size_t i = 0; i < names.count && services->count < FACTS_SERVICES_MAX; i++)
		services->count += take_service(&services->all[services->count], names.names[i]);
}

void doctor_services(struct doctor *doc)
{
	const struct services_facts *services = &doc->facts->services;
	char text[CONFINED_TEXT_SIZE], remedy[CONFINED_TEXT_SIZE];
	size_t denied = 0;

	for_each(service, services->all, services->count) {
		const struct confined *confined = &service->confined;
		const char *command;

		if (!service->is_denied)
			continue;
		denied++;
		command = confined_remedy(confined, remedy);
		if (confined->by == BY_SELINUX && confined->is_bpf)
			command = doctor_command(doc, "smc_unit enable --preload ", service->unit,
						 "");
		doctor_say(doc, confined->is_bpf ? DOCTOR_PROBLEM : DOCTOR_WARNING,
			   confined->by == BY_FAMILIES ? "families" : services->module,
			   service->unit, command, "%s%s",
			   confined->is_bpf ? "" : "stays on TCP: ", confined_text(confined, text));
	}
	if (services->module && services->count && !denied)
		doctor_ok(doc, services->module, NULL, "lets all enabled services (%zu) use SMC",
			  services->count);
}
