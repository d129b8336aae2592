/** A forecast: while it is made, and what it came to, the worst first; the page in the thread has all of it. */
import { blockerLine } from '../../domain/run/forecasts/quoted-text.ts';
import { BASES, countText, ownerText, timeText } from '../../domain/run/forecasts/texts.ts';
import type { Basis } from '../../domain/plan/forecast/types.ts';
import type { ForecastView } from '../../domain/run/notifications.ts';
import type { ForecastSummary, Some } from '../../domain/run/forecasts/summary.ts';
import { context, header, message, type Rendered, sections } from './kit/elements.ts';
import { code, mrkdwn, person } from './kit/text.ts';
import { when } from './kit/time.ts';
import { refusedBlocks } from './plan.ts';
import { onlyReads } from '../messages/cluster.ts';
import { requestedBy } from '../messages/run.ts';
import {
  asksAt,
  beside,
  downFor,
  forecastHeadline,
  forecastNotKept,
  forecastNotMade,
  forecastRunning,
  forecastTitle,
  howForecastWasMade,
  limitsOfForecast,
  moreLines,
  nodesByOwner,
  pageAttached,
  pageNotAttached,
  replacedOf,
  shortOfAddresses,
  willAsk,
  willBeDown,
  willBlock,
} from '../messages/forecasts.ts';

export function forecastBlocks({ cluster, target, progress, startedAt, requestedBy: who }: ForecastView): Rendered {
  const asked = requestedBy(person(who), when(startedAt));
  switch (progress.kind) {
    case 'running': {
      const title = forecastRunning(cluster.name, target);
      return message(mrkdwn(title, 300), [header(title), ...context([onlyReads(), asked])]);
    }
    case 'failed': {
      const title = forecastNotMade(cluster.name, target);
      const why = mrkdwn(progress.why, 1_000);
      return message(`${mrkdwn(title, 300)}: ${why}`, [header(title), ...sections([why]), ...context([asked])]);
    }
    case 'refused': {
      const { text, blocks } = refusedBlocks(cluster.name, target, progress.violations);
      return { text, blocks: [...blocks, ...context([asked])] };
    }
    case 'made': {
      const { summary, notAttached, notKept } = progress;
      const title = forecastTitle(cluster.name, summary.from, summary.to);
      const headline = headlineOf(summary);
      return message(`${mrkdwn(title, 300)}. ${headline}`, [
        header(title),
        ...sections([headline]),
        ...groupsOf(summary).flatMap((lines) => sections(lines)),
        ...context([
          madeLine(summary),
          pageLine(summary, notAttached),
          notKept === undefined ? '' : forecastNotKept(mrkdwn(notKept, 300)),
          asked,
        ]),
      ]);
    }
  }
}

const headlineOf = ({ total, nodes, blockers, downtimes }: ForecastSummary): string =>
  forecastHeadline({
    total: timeText(total),
    nodes: countText(nodes.replaced),
    blockedCount: blockers.nodeCount,
    downCount: downtimes.count,
  });

function groupsOf({ blockers, downtimes, gates, nodes, peak, limits }: ForecastSummary): string[][] {
  return [
    group(willBlock(), blockers, (blocker) => mrkdwn(blockerLine(blocker), 400)),
    group(willBeDown(), downtimes, ({ workload, team, down }) =>
      downFor(mrkdwn(`${workload}${team === undefined ? '' : ` (${team})`}`, 250), timeText(down)),
    ),
    group(willAsk(), gates, ({ title, share }) => asksAt(mrkdwn(title, 200), share >= 1 ? undefined : Math.round(share * 100))),
    [
      ...group(nodesByOwner(), nodes, ({ owner, name, count }) => replacedOf(mrkdwn(ownerText({ owner, name }), 120), countText(count))),
      `• ${beside({
        nodes: countText(peak.extraNodes),
        vcpus: countText(peak.extraVcpus),
        addresses: countText(peak.extraAddresses),
        volumes: countText(peak.volumesMoved),
      })}`,
      ...peak.shortOfAddresses.map(({ zone, needed, free }) => `• ${shortOfAddresses(mrkdwn(zone, 50), needed, free)}`),
    ],
    group(limitsOfForecast(), limits, (limit) => mrkdwn(limit, 300)),
  ];
}

/** Nothing where there is none. */
function group<T>(title: string, { count, first }: Some<T>, line: (each: T) => string): string[] {
  if (count === 0) return [];
  const more = count - first.length;
  return [title, ...first.map((each) => `• ${line(each)}`), ...(more > 0 ? [`• ${moreLines(more)}`] : [])];
}

function madeLine({ runs, planHash, strategy, snapshotTakenAt, calibration }: ForecastSummary): string {
  const bases = (Object.keys(BASES) as Basis[]).flatMap((basis) => {
    const known = calibration[basis];
    return known === undefined ? [] : [`${BASES[basis]} ${known}`];
  });
  return howForecastWasMade({
    runs,
    plan: mrkdwn(planHash.slice(0, 12), 12),
    strategy: mrkdwn(strategy, 40),
    snapshot: when(snapshotTakenAt),
    bases: bases.length === 0 ? '' : `lengths by source: ${bases.join(', ')}`,
  });
}

function pageLine({ cluster, to }: ForecastSummary, notAttached: string | undefined): string {
  if (notAttached === undefined) return pageAttached();
  const command = code(`belay forecast ${cluster.name} --target ${to} --format html --output forecast.html`, 250);
  return pageNotAttached(mrkdwn(notAttached, 300).replace(/\.$/, ''), command);
}
