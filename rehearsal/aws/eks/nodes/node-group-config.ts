/** UpdateNodegroupConfig: sizes, labels, taints, how many nodes may be away, node repair. */
import type { World } from '../../../world/world.ts';
import { invalidParameter } from '../errors.ts';
import { asRecord, type Call, stringMap, strings, structure, text } from '../http.ts';
import { mutate } from '../mutate.ts';
import { members, refuseBusy, requireNodeGroup } from './node-groups.ts';
import type { EksNodeGroup, EksUpdate } from '../state.ts';

type Param = EksUpdate['params'][number];
/** Parameters of the update, and what it changes. */
interface Change {
  params: Param[];
  changed: Partial<EksNodeGroup>;
}

export function updateNodegroupConfig(world: World, call: Call): Promise<Record<string, unknown>> {
  const group = requireNodeGroup(world, call);
  const { body } = call;
  return mutate(world, {
    operation: 'UpdateNodegroupConfig',
    resource: { kind: 'node-group', name: group.name },
    body,
    begin() {
      refuseBusy(world, group);
      const changes = [
        scaling(structure(body, 'scalingConfig'), group),
        pace(structure(body, 'updateConfig')),
        labels(structure(body, 'labels'), group),
        taints(structure(body, 'taints'), group),
        repair(structure(body, 'nodeRepairConfig')),
      ];
      const params = changes.flatMap((change) => change.params);
      if (params.length === 0) throw invalidParameter('No changes were given for the node group.', members(world, group.name));
      for (const { changed } of changes) Object.assign(group, changed);
      group.modifiedAtMs = world.clock.nowMs();
      return { type: 'ConfigUpdate', params };
    },
  });
}

const SIZES = [
  ['minSize', 'MinSize'],
  ['maxSize', 'MaxSize'],
  ['desiredSize', 'DesiredSize'],
] as const;

export function scaling(config: Record<string, unknown> | undefined, present: Pick<EksNodeGroup, (typeof SIZES)[number][0]>): Change {
  if (config === undefined) return { params: [], changed: {} };
  const next = { minSize: present.minSize, maxSize: present.maxSize, desiredSize: present.desiredSize };
  const params: Param[] = [];
  for (const [member, type] of SIZES) {
    const value = config[member];
    if (typeof value !== 'number') continue;
    next[member] = value;
    params.push({ type, value: String(value) });
  }
  if (next.minSize > next.maxSize)
    throw invalidParameter(`Minimum capacity ${next.minSize} can't be greater than maximum size ${next.maxSize}`);
  if (next.desiredSize > next.maxSize)
    throw invalidParameter(`desired capacity ${next.desiredSize} can't be greater than max size ${next.maxSize}`);
  if (next.desiredSize < next.minSize)
    throw invalidParameter(`Minimum capacity ${next.minSize} can't be greater than desired size ${next.desiredSize}`);
  return { params, changed: next };
}

/** One of count and share replaces the other. */
export function pace(config: Record<string, unknown> | undefined): Change {
  if (config === undefined) return { params: [], changed: {} };
  const { maxUnavailable: count, maxUnavailablePercentage: share } = config;
  const params: Param[] = [];
  const changed: Partial<EksNodeGroup> = {};
  if (count !== undefined && share !== undefined)
    throw invalidParameter('Only one of maxUnavailable and maxUnavailablePercentage can be set.');
  if (typeof count === 'number') {
    if (count < 1 || count > 100) throw invalidParameter('maxUnavailable must be between 1 and 100.');
    Object.assign(changed, { maxUnavailable: count, maxUnavailablePercentage: undefined });
    params.push({ type: 'MaxUnavailable', value: String(count) });
  }
  if (typeof share === 'number') {
    if (share < 1 || share > 100) throw invalidParameter('maxUnavailablePercentage must be between 1 and 100.');
    Object.assign(changed, { maxUnavailable: undefined, maxUnavailablePercentage: share });
    params.push({ type: 'MaxUnavailablePercentage', value: String(share) });
  }
  const strategy = text(config, 'updateStrategy');
  if (strategy !== undefined) {
    if (strategy !== 'DEFAULT' && strategy !== 'MINIMAL') throw invalidParameter('updateStrategy must be DEFAULT or MINIMAL.');
    changed.updateStrategy = strategy;
    params.push({ type: 'UpdateStrategy', value: strategy });
  }
  return { params, changed };
}

function labels(change: Record<string, unknown> | undefined, group: EksNodeGroup): Change {
  const added = change && stringMap(change, 'addOrUpdateLabels');
  const removed = change && strings(change, 'removeLabels');
  const next = Object.fromEntries(Object.entries({ ...group.labels, ...added }).filter(([key]) => removed?.includes(key) !== true));
  return {
    params: [
      ...(added === undefined ? [] : [{ type: 'LabelsToAdd', value: JSON.stringify(added) }]),
      ...(removed === undefined ? [] : [{ type: 'LabelsToRemove', value: JSON.stringify(removed) }]),
    ],
    changed: { labels: next },
  };
}

const EFFECTS = ['NO_SCHEDULE', 'NO_EXECUTE', 'PREFER_NO_SCHEDULE'];

export function readTaints(value: unknown): EksNodeGroup['taints'] {
  return (Array.isArray(value) ? value : []).map((each) => {
    const taint = asRecord(each) ?? {};
    const [key = '', effect = ''] = [text(taint, 'key'), text(taint, 'effect')];
    if (!EFFECTS.includes(effect)) throw invalidParameter(`Taint effect ${effect} is not one of ${EFFECTS.join(', ')}.`);
    const taintValue = text(taint, 'value');
    return { key, effect, ...(taintValue === undefined ? {} : { value: taintValue }) };
  });
}

function taints(change: Record<string, unknown> | undefined, group: EksNodeGroup): Change {
  const added = readTaints(change?.addOrUpdateTaints);
  const removed = readTaints(change?.removeTaints);
  const gone = new Set([...added, ...removed].map(({ key, effect }) => `${key}:${effect}`));
  return {
    params: [
      ...(added.length === 0 ? [] : [{ type: 'TaintsToAdd', value: JSON.stringify(added) }]),
      ...(removed.length === 0 ? [] : [{ type: 'TaintsToRemove', value: JSON.stringify(removed) }]),
    ],
    changed: { taints: [...group.taints.filter(({ key, effect }) => !gone.has(`${key}:${effect}`)), ...added] },
  };
}

function repair(config: Record<string, unknown> | undefined): Change {
  if (config === undefined) return { params: [], changed: {} };
  return { params: [{ type: 'NodeRepairEnabled', value: String(config.enabled === true) }], changed: { nodeRepair: config } };
}
