/** Findings in the HTML report: a section for each standing, a card for each finding, one for all unknowns of the same cause. */
import { type Cause, causesOf, placeOf, type Standing, standingOf, STANDINGS, withStanding } from './shared.ts';
import type { JudgedFinding } from '../../domain/readiness/model/waivers.ts';
import type { Resource } from '../../domain/readiness/model/check.ts';
import { count } from '../../domain/core/text.ts';
import { escapeMarkup as text } from '../page/markup.ts';

/** Of one finding, over all its namespaces: a file that opens at once matters more than the ten-thousandth pod. */
const NAMED = 500;
/** Of each namespace at least. */
const NAMED_EACH = 5;
const SHORT_LIST = 10;

export function findingSections(findings: readonly JudgedFinding[]): string {
  return STANDINGS.map((standing) => section(standing, withStanding(findings, standing))).join('\n');
}

function section(standing: Standing, own: readonly JudgedFinding[]): string {
  if (own.length === 0) return '';
  const cards = standing === 'unknown' ? causesOf(own).map(causeCard) : own.map(findingCard);
  return `<section class="findings" data-standing="${standing}"><h2 id="${standing}">${standing} <small>${own.length}</small></h2>\n${cards.join('\n')}</section>`;
}

function findingCard(finding: JudgedFinding): string {
  const { code, area, title, message, resources, remediation, waived } = finding;
  const waiver = waived === undefined ? '' : `<p>Waived by ${text(waived.by)} until ${text(waived.until)}: ${text(waived.reason)}</p>`;
  const head = `<h3><span class="code">${text(code)}</span> ${text(title)}</h3><p>${text(message)}</p>`;
  return card(
    [finding],
    `${head}${resourceList(resources)}${waiver}${waived === undefined ? advice(remediation) : ''}<p class="area">${area}</p>`,
  );
}

function causeCard({ message, remediation, findings }: Cause): string {
  const titles = findings.map(({ code, title }) => `<h3><span class="code">${text(code)}</span> ${text(title)}</h3>`).join('');
  const areas = [...new Set(findings.map(({ area }) => area))].join(', ');
  return card(findings, `${titles}<p>${text(message)}</p>${advice(remediation)}<p class="area">${areas}</p>`);
}

/** What the filters go by stands in its attributes. */
function card(findings: readonly JudgedFinding[], content: string): string {
  const [first] = findings;
  const areas = new Set(findings.map(({ area }) => area));
  const namespaces = new Set(findings.flatMap(({ resources }) => resources.flatMap(({ namespace }) => namespace ?? [])));
  return `<article class="${first === undefined ? '' : standingOf(first)}" data-count="${findings.length}" data-areas="${[...areas].join(' ')}" data-namespaces="${text([...namespaces].join(' '))}">${content}</article>`;
}

const advice = (remediation: string | undefined): string => (remediation === undefined ? '' : `<p class="do">${text(remediation)}</p>`);

/** By namespace, so that each team finds its own. */
function resourceList(resources: readonly Resource[]): string {
  if (resources.length === 0) return '';
  const groups = Map.groupBy(resources, ({ namespace }) => namespace ?? '');
  const namedEach = Math.max(NAMED_EACH, Math.floor(NAMED / groups.size));
  const lists = [...groups].map(([namespace, own]) => namespaceGroup(namespace, own, namedEach));
  return `<details${resources.length <= SHORT_LIST ? ' open' : ''}><summary>${count(resources.length, 'resource')}</summary><ul class="resources">${lists.join('')}</ul></details>`;
}

function namespaceGroup(namespace: string, own: readonly Resource[], namedCount: number): string {
  const named = own
    .slice(0, namedCount)
    .map((each) => `<li><code>${text(placeOf(each))}</code>${each.note === undefined ? '' : ` ${text(each.note)}`}</li>`);
  const rest = own.length > namedCount ? `<li>… and ${own.length - namedCount} more; --format json has them all</li>` : '';
  return `<li data-namespace="${text(namespace)}">${namespace === '' ? '' : `<b>${text(namespace)}</b>`}<ul>${named.join('')}${rest}</ul></li>`;
}
