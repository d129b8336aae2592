/** Equal gates of a ring's runs, which are offered with one press: what makes them equal, and why a run is not among them. Pure. */
import { sha256 } from '../../core/sha256.ts';
import { defined } from '../../core/defined.ts';
import { stableJson } from '../../core/stable-json.ts';
import type { ClusterRef } from '../../core/cluster-ref.ts';
import { BUNDLED_VERDICTS, whyAlone } from '../../gates/bundling.ts';
import type { EvidenceVerdict } from '../../gates/evidence.ts';
import { memberKey } from '../../plan/campaign/types.ts';
import type { StepView, UpgradeStatus } from '../record/status.ts';

/** A run's open gate, where it may be decided with others. */
export interface Offer {
  runId: string;
  gate: string;
  /** Of the gate: "Move the control plane to 1.34?" */
  title: string;
  revision: number;
  planHash?: string;
  verdict: EvidenceVerdict;
  rules: string;
  /** Title of the step: the same for all. */
  step: string;
  /** What the step makes harder to undo, as the gate says first. */
  undo: string;
  /** Two gates with the same are equal. */
  key: string;
  /** ISO 8601: nobody can decide later. */
  expiresAt?: string;
}

/** `alone`: why it is decided by itself. */
export type Offered = { kind: 'offer'; offer: Offer } | { kind: 'alone'; why: string };

export const SHOWN_VERDICTS: Readonly<Record<EvidenceVerdict, string>> = {
  clear: 'clear',
  advice: 'recommendations only',
  attention: 'needs attention',
  unknown: 'not fully known',
};

/** `of`: the ring that the run has to belong to by its own word. `gate`: the one that was shown; absent: any. */
export function offerOf(status: UpgradeStatus, of: { name: string; ring: string }, gate?: string): Offered {
  const { campaign, gates, trouble, goBack, waitsForWorker, pauseRequested, freeze, runId } = status;
  const alone = (why: string): Offered => ({ kind: 'alone', why });
  if (campaign?.name !== of.name || campaign.ring !== of.ring) return alone('its run was not started for this ring');
  const [only, other] = gates;
  if (only === undefined || (gate !== undefined && !gates.some(({ id }) => id === gate))) return alone('its gate is no longer open');
  if (other !== undefined) return alone(`it waits at ${gates.length} gates`);
  if (trouble !== undefined) return alone(`the cluster has a problem: ${trouble.slice(0, 200)}`);
  if (goBack !== undefined) return alone('it is to be rolled back');
  if (freeze.state === 'not-restored') return alone('its freeze could not be restored');
  if (waitsForWorker !== undefined) return alone('it waits for a worker of its network');
  if (pauseRequested) return alone('it is paused');
  const { id, title, choices, revision = 1, planHash, undo = '', terms, expiresAt } = only;
  const why = whyAlone(id);
  if (terms === undefined) return alone(why ?? 'its run does not say what its gate asks for');
  if (terms.needsReason === true) return alone('approving it needs a reason of its own');
  if (!BUNDLED_VERDICTS.includes(terms.verdict)) return alone(`its evidence has to be reviewed: ${SHOWN_VERDICTS[terms.verdict]}`);
  const coming = comingSteps(status.steps);
  const [step] = coming;
  if (step === undefined) return alone('its run does not say which steps follow');
  const harder = undo.split('\n', 1)[0] ?? '';
  const { verdict, rules } = terms;
  const key = hashOf({ gate: id, choices, verdict, rules, undo: harder, steps: coming.map((each) => [each.id, each.title]) });
  return {
    kind: 'offer',
    offer: {
      runId,
      gate: id,
      title: title.slice(0, 150),
      revision,
      ...defined({ planHash }),
      verdict,
      rules,
      step: step.title,
      undo: harder.slice(0, 200),
      key,
      expiresAt,
    },
  };
}

/** What an approval lets begin, first or later. Titles of steps name no cluster. */
const comingSteps = (steps: readonly StepView[]): StepView[] => steps.filter(({ state }) => state === 'planned' || state === 'waiting');

export interface BundleMember extends Pick<Offer, 'runId' | 'title' | 'revision' | 'planHash'> {
  cluster: ClusterRef;
}

/** Equal gates of one ring, exactly as they were offered. */
export interface Bundle extends Pick<Offer, 'gate' | 'step' | 'verdict' | 'rules' | 'undo' | 'key'> {
  /** Names campaign, ring, attempt and gate, and by a hash these members with run and plan. Votes and refusals raise revisions, and change nothing of it. */
  id: string;
  campaign: string;
  ring: string;
  attempt: number;
  /** ISO 8601: when the first of these gates expires. */
  decideBy?: string;
  members: BundleMember[];
}

/** `offers`: of one ring, in the order of its plan. A bundle of one is none. */
export function bundlesOf(
  { campaign, ring, attempt }: Pick<Bundle, 'campaign' | 'ring' | 'attempt'>,
  offers: readonly { cluster: ClusterRef; offer: Offer }[],
): Bundle[] {
  const groups = Map.groupBy(offers, ({ offer }) => offer.key);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length < 2) return [];
    const { gate, step, verdict, rules, undo, key } = first.offer;
    const members = group.map(({ cluster, offer: { runId, title, revision, planHash } }) => ({
      cluster,
      runId,
      title,
      revision,
      ...defined({ planHash }),
    }));
    const id = `${campaign}/${ring}#${attempt}/${gate}/${fingerprint(key, members)}`;
    const [decideBy] = group.flatMap(({ offer: { expiresAt } }) => expiresAt ?? []).toSorted();
    return [{ id, campaign, ring, attempt, gate, step, verdict, rules, undo, key, ...defined({ decideBy }), members }];
  });
}

const fingerprint = (key: string, members: readonly BundleMember[]): string =>
  hashOf([key, ...members.map(({ cluster, runId, planHash }) => [memberKey(cluster), runId, planHash ?? null])]);

/** Tells whether a run still asks what it asked. */
export const hashOfOffer = ({ runId, revision, planHash, key, title }: Offer): string =>
  hashOf([runId, revision, planHash ?? null, key, title]);

const hashOf = (value: unknown): string => sha256(stableJson(value)).slice(0, 12);

/** Why a run that was shown drops out; undefined: what it asks is what was shown. Votes that others have given meanwhile change nothing of that. */
export function whyDropped(
  bundle: Pick<Bundle, 'gate' | 'verdict' | 'key' | 'step' | 'undo' | 'rules'>,
  shown: BundleMember,
  now: Offered,
): string | undefined {
  if (now.kind === 'alone') return now.why;
  const { offer } = now;
  if (offer.runId !== shown.runId) return 'another run has taken its place';
  if (offer.gate !== bundle.gate) return `it now waits at ${offer.gate}`;
  if (offer.planHash !== shown.planHash) return 'its plan has changed';
  if (offer.verdict !== bundle.verdict) return `its evidence has changed: ${SHOWN_VERDICTS[offer.verdict]}`;
  // Word for word: who was shown something else has not approved this.
  const isSame =
    offer.key === bundle.key &&
    offer.title === shown.title &&
    offer.step === bundle.step &&
    offer.undo === bundle.undo &&
    offer.rules === bundle.rules;
  return isSame ? undefined : 'its question has changed';
}

/** A bundle's message. */
export interface BundleView extends Omit<Bundle, 'members' | 'key'> {
  clusterCount: number;
  /** The first few. */
  names: string[];
  /** Those that have dropped out, and why: one line each. */
  dropped: string[];
  /** Nothing is left to be decided together. */
  closed?: true;
}

/** Names in the message; all of them are behind its button. */
const NAMED = 10;

export function bundleView({ members, key: _key, ...bundle }: Bundle, dropped: readonly string[], closed: boolean): BundleView {
  return {
    ...bundle,
    clusterCount: members.length,
    names: members.slice(0, NAMED).map(({ cluster }) => cluster.name),
    dropped: [...dropped],
    ...(closed ? { closed: true } : {}),
  };
}
