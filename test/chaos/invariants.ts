/** What holds after every run, whatever went wrong in it. */
import type { EksUpdate } from '../../rehearsal/aws/eks/state.ts';
import type { RehearsalReport, RunRecord } from '../../rehearsal/play/report.ts';

export interface Seen {
  report: RehearsalReport;
  record: RunRecord | undefined;
  updates: readonly EksUpdate[];
  /** One line for each history that does not replay. */
  notReplayed: readonly string[];
}

const STOPPING = ['abort', 'expired', 'reject'];
const SHORTEST_HEADLINE = 20;

/** One sentence for each promise that was broken. */
export function broken({ report, record, updates, notReplayed }: Seen): string[] {
  return [...unfinished(report, record), ...twice(report, updates), ...left(report, record), ...notReplayed];
}

/** Completed as the scenario expects, or stopped by somebody at a gate, with a headline that says so. */
function unfinished({ outcome, unmet, gates }: RehearsalReport, record: RunRecord | undefined): string[] {
  if (outcome === 'completed') return unmet.map((one) => `it says that it completed, but ${one}`);
  if (record === undefined) return [`it ended as "${outcome}" without a record`];
  const { headline } = record.status;
  if (!gates.some(({ choice }) => STOPPING.includes(choice))) return [`it ended as ${outcome} at no gate: ${headline}`];
  return headline.length < SHORTEST_HEADLINE ? [`it ended as ${outcome} and does not say why: "${headline}"`] : [];
}

/** Nothing was accepted a second time unless what came before had failed. */
function twice({ mutations }: RehearsalReport, updates: readonly EksUpdate[]): string[] {
  const tokens = mutations.flatMap(({ api, accepted, token }) => (api === 'eks' && accepted && token !== undefined ? [token] : []));
  const done = updates
    .filter(({ status }) => status === 'Successful' || status === 'InProgress')
    .filter(({ type }) => type === 'VersionUpdate' || type === 'AddonUpdate')
    .map(({ resource, params }) => {
      const version = params.find(({ type }) => type === 'Version' || type === 'AddonVersion')?.value ?? '';
      return `${resource.kind}${'name' in resource ? ` ${resource.name}` : ''} to ${version}`;
    });
  return [
    ...repeated(tokens).map((token) => `token ${token} was accepted twice`),
    ...repeated(done).map((update) => `the update of ${update} was made twice`),
  ];
}

const repeated = (words: readonly string[]): string[] => [...new Set(words.filter((word, index) => words.indexOf(word) !== index))];

/** Nothing, but for a freeze that is kept on purpose, and said, and for what somebody else changed in an add-on where a gate named it and was passed. */
function left({ outcome, leftBehind }: RehearsalReport, record: RunRecord | undefined): string[] {
  const isFreeze = ({ kind, resource }: RehearsalReport['leftBehind'][number]): boolean =>
    resource.startsWith('nodepools/') && (kind === 'budgets' || kind === 'annotation');
  const kept = outcome !== 'completed' && record?.leftBehind.some((one) => one.kept) === true;
  const accepted = (record?.decisions ?? []).filter(({ decision }) => decision?.choice === 'accept-change').map(({ gate }) => gate.title);
  const isAccepted = ({ kind, resource }: RehearsalReport['leftBehind'][number]): boolean =>
    kind === 'add-on-settings' && accepted.some((title) => title.includes(`add-on ${resource.replace('addons/', '')}: `));
  return leftBehind
    .filter((one) => !(kept && isFreeze(one)) && !isAccepted(one))
    .map(({ resource, what, after }) => `left behind: ${resource}: ${what}${after === undefined ? '' : ` (${after.slice(0, 200)})`}`);
}
