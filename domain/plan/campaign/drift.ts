/** What has changed since the plan was approved: the ring that runs keeps its plan, further rings wait for a new approval. */
import { duration, someOf } from '../../core/text.ts';
import { type CampaignPlan, memberKey, type PlannedRing } from './types.ts';

export interface PlanDrift {
  /** Clusters that the plan does not have: they are never started by it. */
  added: string[];
  /** Clusters that are not there any more, or not selected. */
  removed: string[];
  /** In words: "ring prod: parallel 2 → 5". */
  changed: string[];
}

/**
 * `now`: the same campaign planned anew. Verdicts do not count, as they change with every run. `over`: how many rings have ended: what belay.yaml says of
 * them, and of clusters that they had, changes nothing any more, and would be asked about at each gate that follows. A cluster that is new there is said.
 */
export function driftOf(approved: CampaignPlan, now: CampaignPlan, over = 0): PlanDrift {
  const [ended, left] = [approved.rings.slice(0, over), approved.rings.slice(over)];
  const isOver = (name: string): boolean => ended.some((ring) => ring.name === name);
  const had = new Set(ended.flatMap(({ members }) => members.map(({ cluster }) => memberKey(cluster))));
  const [before, after] = [placesOf({ ...approved, rings: left }), new Map([...placesOf(now)].filter(([key]) => !had.has(key)))];
  const changed: string[] = [];
  if (approved.target !== now.target) changed.push(`target ${approved.target} → ${now.target}`);
  for (const [key, ring] of before) {
    const other = after.get(key);
    if (other !== undefined && other !== ring) changed.push(`${key}: ring ${ring} → ${other}`);
  }
  const [ringsBefore, ringsNow] = [left, now.rings].map((rings) => rings.flatMap(({ name }) => (isOver(name) ? [] : name)).join(', '));
  if (ringsBefore !== ringsNow) changed.push(`rings ${ringsBefore} → ${ringsNow}`);
  for (const ring of left) {
    const other = now.rings.find(({ name }) => name === ring.name);
    if (other !== undefined) changed.push(...settingsChanged(ring, other), ...orderChanged(ring, other));
  }
  for (const key of LIMITS)
    if (approved.limits[key] !== now.limits[key]) changed.push(changeText(key, approved.limits[key], now.limits[key]));
  if (approved.finishBy !== now.finishBy) changed.push(changeText('finishBy', approved.finishBy, now.finishBy));
  return {
    added: [...after.keys()].filter((key) => !before.has(key)),
    removed: [...before.keys()].filter((key) => !after.has(key)),
    changed,
  };
}

export const isDrifted = ({ added, removed, changed }: PlanDrift): boolean => added.length + removed.length + changed.length > 0;

/** One line each. */
export function driftLines({ added, removed, changed }: PlanDrift): string[] {
  return [
    ...(added.length === 0 ? [] : [`New, and not in the approved plan: ${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`Gone since the approval: ${removed.join(', ')}`]),
    ...changed.map((each) => `Changed in belay.yaml: ${each}`),
  ];
}

/** Ring of each cluster; `excluded` for those left out. */
function placesOf({ rings, excluded }: CampaignPlan): Map<string, string> {
  return new Map([
    ...rings.flatMap(({ name, members }) => members.map(({ cluster }) => [memberKey(cluster), name] as const)),
    ...excluded.map(({ cluster }) => [memberKey(cluster), 'excluded'] as const),
  ]);
}

const SETTINGS = ['parallel', 'failures', 'succeed', 'soakMs', 'soakOnRed', 'promotion', 'coversStart', 'canary'] as const;

function settingsChanged(before: PlannedRing, now: PlannedRing): string[] {
  const written = (ring: PlannedRing, key: (typeof SETTINGS)[number]): Written =>
    key === 'succeed' ? `${ring.succeed} of ${ring.members.length}` : ring[key];
  return SETTINGS.filter((key) => before[key] !== now[key] || key === 'succeed')
    .filter((key) => !followsSize(key, before, now))
    .map((key) => `ring ${before.name}: ${changeText(key, written(before, key), written(now, key))}`);
}

/** Of those that both have. */
function orderChanged(before: PlannedRing, now: PlannedRing): string[] {
  const keysOf = ({ members }: PlannedRing): string[] => members.map(({ cluster }) => memberKey(cluster));
  const [was, is] = [keysOf(before), keysOf(now)];
  const same = was.filter((key) => is.includes(key));
  const other = is.filter((key) => was.includes(key));
  if (same.every((key, index) => key === other[index])) return [];
  return [`ring ${before.name}: order ${someOf(same)} → ${someOf(other)}`];
}

/** Is a number another one, or the same, only because the ring has grown or shrunk? That is said by its clusters. */
function followsSize(key: (typeof SETTINGS)[number], before: PlannedRing, now: PlannedRing): boolean {
  const [was, is] = [before.members.length, now.members.length];
  if (key === 'succeed') return was - before.succeed === is - now.succeed;
  return (key === 'parallel' || key === 'failures') && before[key] === was && now[key] === is;
}

const LIMITS = ['parallel', 'perAccount', 'perRegion', 'startsPerMinute', 'stuckAfterMs'] as const;

type Written = string | number | boolean | undefined;

/** By the key of belay.yaml: "soak 24 h → 1 h", "perAccount none → 2". */
function changeText(key: string, before: Written, now: Written): string {
  const isDuration = key.endsWith('Ms');
  const written = (value: Written): string => (value === undefined ? 'none' : isDuration ? duration(Number(value)) : String(value));
  return `${isDuration ? key.slice(0, -2) : key} ${written(before)} → ${written(now)}`;
}
