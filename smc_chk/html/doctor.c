// SPDX-License-Identifier: MIT
/* The page of a host: the doctor's verdict and findings, sockets, devices. */

#include "smc_chk/doctor/findings.h"
#include "smc_chk/html/html.h"

/* In the order of enum doctor_level. */
static const struct {
	const char *kind, *name, *heading;
} levels[DOCTOR_LEVELS] = {
	{ HTML_OK, "ok", NULL },
	{ HTML_NOTE, "note", "Notes" },
	{ HTML_WARN, "warning", "Warnings" },
	{ HTML_BAD, "problem", "Problems" },
};

static void put_level(struct out_text *page, const struct doctor *doc, int level)
{
	out_str(page, "<ul class=\"findings\">\n");
	for_each(finding, doc->findings, doc->n_findings) {
		if ((int)finding->level != level)
			continue;
		out_printf(page, "<li><span class=\"tag %s\">%s</span><div><p class=\"where\">",
			   levels[level].kind, levels[level].name);
		html_put(page, "", finding->check, " <b>");
		html_put(page, "", finding->object, "</b></p>");
		html_put(page, "<p>", finding->text, "</p>");
		if (*finding->remedy)
			html_put(page, "<pre>", finding->remedy, "</pre>");
		out_str(page, "</div></li>\n");
	}
	out_str(page, "</ul>\n");
}

static void put_findings(struct out_text *page, const struct doctor *doc,
			 const struct doctor_result *result)
{
	html_section(page, "Findings");
	if (!result->counts[DOCTOR_PROBLEM] && !result->counts[DOCTOR_WARNING])
		out_str(page, "<p>Neither problems nor warnings.</p>\n");
	for (int level = DOCTOR_PROBLEM; level >= (int)result->least && level; level--) {
		if (!result->counts[level])
			continue;
		out_printf(page, "<h3>%s</h3>\n", levels[level].heading);
		put_level(page, doc, level);
	}
	if (result->least == DOCTOR_OK && result->counts[DOCTOR_OK]) {
		out_printf(page, "<details>\n<summary>%zu check%s ok</summary>\n",
			   result->counts[DOCTOR_OK],
			   result->counts[DOCTOR_OK] == 1 ? " is" : "s are");
		put_level(page, doc, DOCTOR_OK);
		out_str(page, "</details>\n");
	}
	html_section_end(page);
}

static void put_facts(struct out_text *page, const struct doctor *doc)
{
	const struct doctor_facts *facts = doc->facts;
	char eids[CHOICE_UEIDS_SIZE];

	html_facts(page, (const struct html_fact[]){
				 { "Date", *facts->when ? facts->when : "not recorded" },
				 { "Kernel", facts->release },
				 { "User EIDs", choice_ueids(eids, &facts->choices) },
				 { "Network namespace", doc->req->netns ? doc->req->netns : "" },
				 { "Net device", doc->req->iface ? doc->req->iface : "" },
				 { 0 } });
}

/*
 * The host's name; in anonymous bundles the one that SMC sends to peers, which is another there. It
 * is "(none)" if SMC was loaded before the host had one.
 */
static void put_name(struct out_text *text, const struct doctor_facts *facts)
{
	if (*facts->host)
		out_escaped(text, facts->host, sizeof(facts->host));
	else if (facts->info.has & SMC_SYSINFO_HAS_HOST && *facts->info.host != '(')
		out_escaped(text, facts->info.host, strcspn(facts->info.host, " "));
	else
		out_str(text, "A recorded host");
	out_char(text, '\0');
}

static int put_page(const struct doctor *doc, struct smc_err *err)
{
	const struct doctor_result result = doctor_judge(doc);
	struct out_text page AUTO(out_free) = { 0 };
	struct out_text name AUTO(out_free) = { 0 }, verdict AUTO(out_free) = { 0 };
	enum doctor_level worst = doctor_verdict(&verdict, &result);
	int ret;

	put_name(&name, doc->facts);
	out_char(&verdict, '\0');
	html_begin(&page, levels[worst].kind, name.data, verdict.data);
	html_first(&page, result.first ? result.first->remedy : NULL, "");
	put_facts(&page, doc);
	put_findings(&page, doc, &result);
	if (html_sockets(&page, doc->facts, err) || html_devices(&page, doc->facts, err))
		return -err->code;
	html_end(&page);
	ret = chk_print(&page, 0, 0);
	return ret ? ret : result.status;
}

int html_doctor(const struct chk_request *req)
{
	return doctor_run(req, put_page);
}
