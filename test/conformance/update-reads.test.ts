/** What is found of the updates that EKS remembers where they are as believed, and where they are not. */
import { expect, test } from 'vitest';
import { type Outside, refusing, verdictOn } from './answers.ts';

const MADE = new Date('2026-03-02T09:00:00Z');
const update = (id: string, change: object = {}) => ({ id, type: 'AddonUpdate', status: 'Successful', createdAt: MADE, ...change });

interface Remembered {
  cluster?: object[];
  coredns?: object[];
  /** Is the update of an add-on described without it? */
  isLoose?: boolean;
}

/** A cluster without node groups, with one add-on. Looks at an update are answered by turns where it is a list. */
function remembering({ cluster = [], coredns = [], isLoose = false }: Remembered, ground: Outside['ground'] = {}): Outside {
  const idsOf = (updates: object[]): unknown[] => updates.flat().map((each) => Reflect.get(each, 'id'));
  const all = [...cluster, ...coredns];
  const looks = new Map<unknown, number>();
  return {
    aws: {
      ListAddons: () => ({ addons: ['coredns'] }),
      ListUpdates: ({ addonName }) => ({ updateIds: [...new Set(idsOf(addonName === undefined ? cluster : coredns))] }),
      DescribeUpdate: ({ updateId, addonName }) => {
        const found = all.flat().filter((each) => Reflect.get(each, 'id') === updateId);
        const isOther = addonName === undefined && !idsOf(cluster).includes(updateId);
        if (isOther && !isLoose) return refusing('InvalidParameterException')({});
        const look = looks.get(updateId) ?? 0;
        looks.set(updateId, look + 1);
        return { update: found[Math.min(look, found.length - 1)] };
      },
    },
    ground,
  };
}

const version = (value?: string) => ({ params: [{ type: 'AddonVersion', value }] });
const failed = (errorCode?: string) => update('u-1', { status: 'Failed', errors: [{ errorCode }] });
const at = (date: string | undefined): Outside['ground'] => ({ eksDate: () => date });

test.each<[string, Outside, string]>([
  ['EKS-UPDATE-OF-RESOURCE', remembering({ coredns: [update('u-1')] }), 'held: 1 update, InvalidParameterException without the resource'],
  [
    'EKS-UPDATE-OF-RESOURCE',
    remembering({ cluster: [update('u-1')], coredns: [update('u-1')] }),
    'broken: an AddonUpdate of coredns is among the updates of the cluster',
  ],
  [
    'EKS-UPDATE-OF-RESOURCE',
    remembering({ coredns: [update('u-1')], isLoose: true }),
    'broken: AddonUpdate u-1 is described without its resource',
  ],
  [
    'EKS-UPDATE-OF-RESOURCE',
    remembering({ cluster: [update('u-1')] }),
    'untried, absent: EKS remembers no update of an add-on or a node group',
  ],

  ['EKS-UPDATE-PARAMS', remembering({ coredns: [update('u-1', version('v1'))] }), 'held: 1 update of versions says whereto'],
  ['EKS-UPDATE-PARAMS', remembering({ coredns: [update('u-1', version(''))] }), 'broken: AddonUpdate u-1 does not say whereto'],
  ['EKS-UPDATE-PARAMS', remembering({ cluster: [update('u-1', { type: 'Repaint' })] }), 'broken: update u-1 is of type Repaint'],
  [
    'EKS-UPDATE-PARAMS',
    remembering({ cluster: [update('u-1', { type: 'LoggingUpdate' })] }),
    'untried, absent: EKS remembers no update of a version',
  ],
  ['EKS-UPDATE-PARAMS', remembering({}), 'untried, absent: EKS remembers no update of this cluster'],

  ['EKS-UPDATE-ENDS', remembering({ coredns: [update('u-1')] }), 'held: 1 update, the same at two looks'],
  [
    'EKS-UPDATE-ENDS',
    remembering({ cluster: [update('u-1', { status: 'Cancelling' }), update('u-1', { status: 'Cancelled' })] }),
    'held: 1 update, the same at two looks',
  ],
  ['EKS-UPDATE-ENDS', remembering({ coredns: [update('u-1', { status: 'Paused' })] }), 'broken: update u-1 is Paused'],
  [
    'EKS-UPDATE-ENDS',
    remembering({ coredns: [update('u-1'), update('u-1', { status: 'Failed' })] }),
    'broken: update u-1 was Successful and is not any more',
  ],
  [
    'EKS-UPDATE-ENDS',
    remembering({ coredns: [update('u-1', { status: 'InProgress' }), update('u-1')] }),
    'held: 1 update, the same at two looks',
  ],

  ['EKS-UPDATE-CODES', remembering({ coredns: [failed('ConfigurationConflict')] }), 'held: 1 error'],
  ['EKS-UPDATE-CODES', remembering({ coredns: [failed('OutOfPaint')] }), 'broken: OutOfPaint is no code of the model'],
  ['EKS-UPDATE-CODES', remembering({ coredns: [update('u-1')] }), 'untried, absent: no update that EKS remembers has failed'],

  [
    'EKS-UPDATE-CLOCK',
    remembering({ coredns: [update('u-1')] }, at('2026-03-02T09:00:00.000Z')),
    'held: 1 update before 2026-03-02T09:00:00.000Z',
  ],
  [
    'EKS-UPDATE-CLOCK',
    remembering({ coredns: [update('u-1')] }, at('2026-03-02T08:00:00.000Z')),
    'broken: update u-1 was made at 2026-03-02T09:00:00.000Z, after 2026-03-02T08:00:00.000Z',
  ],
  ['EKS-UPDATE-CLOCK', remembering({ coredns: [update('u-1')] }, at(undefined)), 'untried, absent: EKS tells no Date'],

  [
    'EKS-UPDATE-CODES',
    { aws: { ListNodegroups: refusing('AccessDeniedException', 'not you') } },
    'untried, right: a right is missing: not you',
  ],
])('%s (case %#)', async (id, outside, verdict) => {
  expect(await verdictOn(id, outside)).toBe(verdict);
});
