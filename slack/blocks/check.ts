/** A readiness check: while it runs, and what it came to, with the worst findings and what has changed. */
import type { KnownBlock } from '@slack/types';
import type { CheckView } from '../../domain/run/notifications.ts';
import type { ChangedFinding, OpenFinding, ReadinessChange, ReadinessSummary } from '../../domain/readiness/summary.ts';
import { count, someOf } from '../../domain/core/text.ts';
import { actions, button, context, header, message, type Rendered, sections } from './kit/elements.ts';
import { code, mrkdwn, person } from './kit/text.ts';
import { when } from './kit/time.ts';
import type { CheckValue } from './kit/button-values.ts';
import {
  checkDone,
  checkFailed,
  checkRunning,
  moreFindings,
  moreFindingsInReport,
  nothingChanged,
  onlyReads,
  reportAttached,
  reportNotAttached,
  unknownsOnly,
} from '../messages/cluster.ts';
import { requestedBy } from '../messages/run.ts';

const VERDICTS: Record<ReadinessSummary['verdict'], string> = {
  ready: '✅ Ready',
  'required-findings': '❌ Not ready',
  'unknowns-only': '❔ Unknown',
};
const NAMED = 3;
const CHANGES = 20;

/** What a check came to, for a form: its verdict, its counts and the worst findings in short. */
export function readinessBlocks(summary: ReadinessSummary, shownCount: number): KnownBlock[] {
  const lines = summary.open.slice(0, shownCount).map((finding) => findingLines(finding).slice(0, 2).join('\n'));
  const rest = summary.counts.required + summary.counts.recommended + summary.counts.unknown - lines.length;
  return [
    ...sections([`*${VERDICTS[summary.verdict]}* for ${mrkdwn(summary.target, 20)}`, countsLine(summary), ...verdictLine(summary)]),
    ...sections(lines),
    ...context([
      rest > 0 && lines.length > 0
        ? moreFindings(rest, { cluster: mrkdwn(summary.cluster.name, 100), target: mrkdwn(summary.target, 20) })
        : '',
    ]),
  ];
}

/** `run`: the check's own run, which "Check again" compares with. */
export function checkBlocks(check: CheckView, run: string): Rendered {
  const { cluster, target, progress, startedAt } = check;
  const asked = requestedBy(person(check.requestedBy), when(startedAt));
  const again = buttons({ cluster: cluster.name, target, run });
  switch (progress.kind) {
    case 'running': {
      const title = checkRunning(cluster.name, target);
      return message(mrkdwn(title, 300), [header(title), ...context([onlyReads(), asked])]);
    }
    case 'failed': {
      const title = checkFailed(cluster.name, target);
      const why = mrkdwn(progress.why, 1_000);
      return message(`${mrkdwn(title, 300)}: ${why}`, [header(title), ...sections([why]), ...context([asked]), ...again]);
    }
    case 'done': {
      const { summary, change, notAttached } = progress;
      const title = checkDone(VERDICTS[summary.verdict], { cluster: cluster.name, from: summary.from, to: target });
      return message(`${mrkdwn(title, 300)}. ${countsLine(summary)}`, [
        header(title),
        ...sections([countsLine(summary), ...verdictLine(summary)]),
        ...(change === undefined ? [] : sections(changeLines(change), 2)),
        ...summary.open.flatMap((finding) => sections(findingLines(finding))),
        ...context([moreLine(summary), reportLine(summary, notAttached), asked]),
        ...again,
      ]);
    }
  }
}

function countsLine({ counts: { required, recommended, unknown, waived, passed } }: ReadinessSummary): string {
  return `*${required} required* · ${recommended} recommended · ${unknown} unknown · ${waived} waived · ${passed} passed`;
}

/** Unknown is no pass: it is said. */
function verdictLine({ verdict }: ReadinessSummary): string[] {
  return verdict === 'unknowns-only' ? [unknownsOnly()] : [];
}

function findingLines({ code: id, title, severity, status, message: text, named, resourceCount, remediation }: OpenFinding): string[] {
  const icon = status === 'unknown' ? '❔' : severity === 'required' ? '🚫' : '⚠';
  const places = named.slice(0, NAMED).map((name) => code(name, 150));
  const rest = resourceCount - places.length;
  return [
    `${icon} *${mrkdwn(id, 20)} ${mrkdwn(title, 150)}*`,
    mrkdwn(text, 300),
    ...(places.length === 0 ? [] : [`${places.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`]),
    ...(remediation === undefined ? [] : [`→ ${mrkdwn(remediation, 300)}`]),
  ];
}

function changeLines({ since, fixed, added, changed, unchangedCount }: ReadinessChange): string[] {
  const named = ({ code: id, title }: OpenFinding | ReadinessChange['fixed'][number]): string =>
    `*${mrkdwn(id, 20)}* ${mrkdwn(title, 150)}`;
  const lines = [
    ...fixed.map((finding) => `✅ Fixed: ${named(finding)}`),
    ...added.map((finding) => `⚠ New: ${named(finding)}`),
    ...changed.map((finding) => `🔁 ${named(finding)}: ${resourcesLine(finding)}`),
  ];
  const rest = lines.length - CHANGES;
  return [
    `*Since ${when(since)}*`,
    ...lines.slice(0, CHANGES),
    ...(rest > 0 ? [`… and ${count(rest, 'more change')}`] : []),
    lines.length === 0 ? nothingChanged(unchangedCount) : `${unchangedCount} as before`,
  ];
}

/** Which ones where they are known, else how many. */
function resourcesLine({ before, now, gone, come }: ChangedFinding): string {
  if (gone.length + come.length === 0) return `${before} → ${count(now, 'resource')}`;
  const said = (word: string, names: string[]): string[] => (names.length === 0 ? [] : [`${word} ${mrkdwn(someOf(names, NAMED), 400)}`]);
  return [...said('fixed', gone), ...said('new', come)].join('; ');
}

function moreLine({ counts: { required, recommended, unknown }, open }: ReadinessSummary): string {
  const rest = required + recommended + unknown - open.length;
  return rest > 0 ? moreFindingsInReport(rest) : '';
}

function reportLine({ cluster, target }: ReadinessSummary, notAttached: string | undefined): string {
  if (notAttached === undefined) return reportAttached();
  const command = code(`belay check ${cluster.name} --target ${target} --format html --output report.html`, 250);
  return reportNotAttached(mrkdwn(notAttached, 300).replace(/\.$/, ''), command);
}

function buttons(value: CheckValue): ReturnType<typeof actions> {
  const made = [
    button({ actionId: 'check/again', label: 'Check again', value }),
    button({ actionId: 'check/plan', label: 'Plan the upgrade', value }),
  ];
  return actions(made.filter((element) => element !== undefined));
}
