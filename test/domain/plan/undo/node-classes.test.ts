/** The way back of node classes: which AMIs they chose before the last run, whether these may run today, and every reason why a class stays. */
import { describe, expect, test } from 'vitest';
import type { AmiBuild } from '../../../../domain/facts/ami-names.ts';
import type { ClusterFacts, NodeClassFact, NodePoolFact } from '../../../../domain/facts/facts.ts';
import type { AmiMove } from '../../../../domain/plan/model/changes.ts';
import type { StepParams } from '../../../../domain/plan/model/step-params.ts';
import type { PlannedStep, UpgradePlan } from '../../../../domain/plan/model/types.ts';
import type { LastRun } from '../../../../domain/plan/undo/last-run.ts';
import { planUndo, undoOptions } from '../../../../domain/plan/undo/plan-undo.ts';
import type { ImagesSeen, UndoSeen } from '../../../../domain/plan/undo/undo-input.ts';
import { pointOf } from '../../../../domain/facts/rollback-point.ts';
import { healthyFacts, nodePool, policy } from '../../../support/facts.ts';
import { step } from '../../../support/plan.ts';

type Drift = Extract<StepParams, { phase: 'karpenter-drift' }>;

const OLD = 'ami-132';
const NEW = 'ami-133';
const NAMES = { [OLD]: 'amazon-eks-node-al2023-x86_64-standard-1.32-v20250403' };
const PIN = 'al2023@v20250403';
const BUILT: AmiBuild = { alias: PIN, minor: '1.33', images: { x86_64: 'ami-7' } };

const move = (change: Partial<AmiMove> = {}): AmiMove => ({
  nodeClass: 'default',
  nodePools: ['default'],
  before: OLD,
  terms: [{ id: NEW }],
  why: '',
  ...change,
});

function drift(moves: AmiMove[], change: Partial<Drift> = {}): PlannedStep {
  const params: Drift = {
    phase: 'karpenter-drift',
    to: '1.33',
    nodePools: ['default'],
    nodeCount: 12,
    paces: [],
    offeredPaces: [],
    moves,
    ...change,
  };
  return step('karpenter-drift', { id: 'karpenter-drift@1.33', hop: '1.33', params });
}

const run = (...begun: PlannedStep[]): LastRun => ({ runId: 'run-1', startedAt: '2026-09-01T08:00:00.000Z', begun });

const nodeClass = (change: Partial<NodeClassFact> = {}): NodeClassFact => {
  const terms = change.terms ?? [{ id: NEW }];
  return { name: 'default', ready: true, amiFamily: 'AL2023', amiIds: [], selects: 'ids', ...change, terms };
};

function facts(classes: NodeClassFact[] = [nodeClass()], pools: NodePoolFact[] = [nodePool('default', 12)]): ClusterFacts {
  const healthy = healthyFacts();
  if (healthy.karpenter === undefined) throw new Error('these facts have Karpenter');
  return { ...healthy, karpenter: { ...healthy.karpenter, nodeClasses: classes, nodePools: pools } };
}

const seen = (change: Partial<UndoSeen> = {}): UndoSeen => ({ run: run(drift([move()])), images: { names: NAMES }, ...change });

function planned(of: ClusterFacts, with_: UndoSeen = seen(), name = 'node-classes'): UpgradePlan {
  const result = planUndo(of, with_, name, policy());
  if (result.kind === 'refused') throw new Error(result.violations.map(({ message }) => message).join('\n'));
  return result.plan;
}

function refused(of: ClusterFacts, with_: UndoSeen = seen()): string[] {
  const result = planUndo(of, with_, 'node-classes', policy());
  return result.kind === 'plan' ? ['planned'] : result.violations.map(({ rule, message, remedy }) => `${rule} ${message} ${remedy}`);
}

const rollOf = ({ steps }: UpgradePlan): Drift | undefined =>
  steps.flatMap(({ params }) => (params.phase === 'karpenter-drift' ? [params] : []))[0];

describe('the plan', () => {
  test('frozen first, then the terms of before and a roll told by images, each behind a gate; a look at the end', () => {
    const plan = planned(facts(), seen(), 'karpenter-drift@1.33');
    expect(plan).toMatchObject({ kind: 'undo', undoes: { step: 'node-classes' }, from: '1.33', to: '1.33' });
    expect(plan.steps.map(({ id }) => id)).toEqual(['freeze-drift@1.33', 'karpenter-drift@1.33', 'validation@1.33']);
    const [freeze, roll] = plan.steps;
    expect(freeze?.gate).toEqual({
      title: 'Take 1 EC2NodeClass of prod back to the AMIs of before?',
      next: 'Drift is frozen, then EC2NodeClass default from ami-133 to ami-132. Nodes are replaced behind a gate of their own.',
      why: 'Images of 1.32 may run under a control plane at 1.33, which stays.',
      reason: true,
    });
    expect(roll?.gate?.title).toBe('Let Karpenter replace 12 nodes by the images of before?');
    expect(rollOf(plan)).toMatchObject({
      to: '1.32',
      nodePools: ['default'],
      nodeCount: 12,
      moves: [{ nodeClass: 'default', before: NEW, terms: [{ id: OLD }], why: 'that is what the run of 2026-09-01 08:00 UTC found' }],
      follows: [{ nodeClass: 'default', nodePools: ['default'] }],
      byImage: ['default'],
    });
    expect(rollOf(plan)).not.toHaveProperty('back');
  });

  test('over several hops, and their way back: to what the first of them found', () => {
    const hops = run(drift([move({ before: PIN, terms: [{ alias: 'al2023@v20251016' }] })]), drift([move({ before: 'al2023@v20251016' })]));
    const plan = planned(facts(), { run: hops, images: { builds: [BUILT] } });
    expect(rollOf(plan)).toMatchObject({ to: '1.33', moves: [{ before: NEW, terms: [{ alias: PIN }] }] });
  });

  test('a release within the minor that the nodes have: they roll all the same', () => {
    const promoted = nodeClass({ terms: [{ alias: 'al2023@v20251016' }], alias: 'al2023@v20251016', selects: 'alias' });
    const was = run(drift([move({ before: PIN, terms: [{ alias: 'al2023@v20251016' }] })]));
    expect(rollOf(planned(facts([promoted]), { run: was, images: { builds: [BUILT] } }))).toMatchObject({
      to: '1.33',
      byImage: ['default'],
    });
  });

  test.each([
    { what: 'another one', before: 'AL2', now: 'AL2023', family: 'AL2' },
    { what: 'there was none', before: undefined, now: 'AL2023', family: null },
    { what: 'the same', before: 'AL2023', now: 'AL2023', family: undefined },
  ])('amiFamily as in the rollback point: $what', ({ before, now, family }) => {
    const then = facts([nodeClass({ amiFamily: before })]);
    const was = run(drift([move({ before: PIN })]));
    const plan = planned(facts([nodeClass({ amiFamily: now })]), { run: was, images: { builds: [BUILT] }, point: pointOf(then, 'run-1') });
    expect(rollOf(plan)?.moves?.[0]?.amiFamily).toBe(family);
  });

  test('ids need a family beside them: it stays where the rollback point has none', () => {
    const point = pointOf(facts([nodeClass({ amiFamily: undefined })]), 'run-1');
    expect(rollOf(planned(facts(), seen({ point })))?.moves).toEqual([
      {
        nodeClass: 'default',
        nodePools: ['default'],
        before: NEW,
        terms: [{ id: OLD }],
        why: 'that is what the run of 2026-09-01 08:00 UTC found',
      },
    ]);
  });

  test('whoever keeps a class as code is asked for it', () => {
    const plan = planned(facts([nodeClass({ deliveredBy: 'flux' })]));
    expect(rollOf(plan)?.moves).toMatchObject([{ nodeClass: 'default', owner: 'flux' }]);
    expect(plan.steps[0]?.gate?.next).toContain('flux is asked for what it delivers, with the lines for Git.');
  });

  test('pools of other classes are not waited for; what cannot go stays and is named', () => {
    const gone = nodeClass({ name: 'gone', terms: [{ id: 'ami-9' }] });
    const latest = nodeClass({ name: 'latest', terms: [{ alias: 'al2023@latest' }], selects: 'alias' });
    const pools = [nodePool('default', 12), nodePool('batch', 2, { nodeClass: 'latest' })];
    const was = run(drift([move(), move({ nodeClass: 'gone', nodePools: [], before: 'ami-0', terms: [{ id: 'ami-9' }] })]));
    const plan = planned(facts([nodeClass(), gone, latest], pools), seen({ run: was }));
    expect(rollOf(plan)).toMatchObject({ nodePools: ['default'], nodeCount: 12, pinnedPools: ['batch'] });
    expect(plan.findings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'RBK110 ami-0, which EC2NodeClass gone chose, does no longer exist, or not for this account.',
    ]);
  });

  test('classes that come to different minors go one after the other', () => {
    const second = nodeClass({ name: 'second', terms: [{ alias: 'al2023@v20251016' }] });
    const was = run(drift([move(), move({ nodeClass: 'second', before: PIN, terms: [{ alias: 'al2023@v20251016' }] })]));
    const plan = planned(facts([nodeClass(), second]), { run: was, images: { names: NAMES, builds: [BUILT] } });
    expect(rollOf(plan)?.byImage).toEqual(['default']);
    expect(plan.findings.map(({ message }) => message)).toEqual([
      'EC2NodeClass second goes back to al2023@v20250403, whose nodes come to 1.33 and not to 1.32.',
    ]);
  });

  test('the list offers it, with its cost', () => {
    expect(undoOptions(facts(), seen(), policy())).toMatchObject([
      { step: 'node-classes', title: 'Karpenter nodes back to the images of before', possible: true, cost: '12 nodes replaced once more' },
    ]);
    expect(undoOptions(facts(), seen({ run: run(drift([])) }), policy())).toEqual([]);
  });
});

describe('refused', () => {
  const names = (name: string): ImagesSeen => ({ names: { [OLD]: name } });
  const pinned = run(drift([move({ before: PIN })]));

  test.each<{ what: string; classes?: NodeClassFact[]; pools?: NodePoolFact[]; with?: Partial<UndoSeen>; says: string }>([
    {
      what: 'the run changed none',
      with: { run: run(drift([])) },
      says: 'RBK102 The AMI terms of no EC2NodeClass were changed by the run of 2026-09-01 08:00 UTC. An alias follows the control plane, and its nodes go back with that alone: belay rollback prod.',
    },
    {
      what: 'there already',
      classes: [nodeClass({ terms: [{ id: OLD }] })],
      says: 'RBK103 Every EC2NodeClass that the run of 2026-09-01 08:00 UTC changed chooses the AMIs of before. There is nothing to do.',
    },
    {
      what: 'gone',
      classes: [],
      says: 'RBK104 EC2NodeClass default is not there any more, or could not be read. It chose ami-132 before that run.',
    },
    {
      what: 'changed by others since',
      classes: [nodeClass({ terms: [{ tags: { team: 'a' } }] })],
      says: 'RBK104 EC2NodeClass default chooses [{"tags":{"team":"a"}}], to which the run has not brought it (ami-133): somebody has changed it since. Set its amiSelectorTerms to ami-132 by hand if that is still wanted.',
    },
    {
      what: 'a release that people promoted meanwhile',
      classes: [nodeClass({ terms: [{ alias: 'al2023@v20251016' }] })],
      with: { run: run(drift([], { unpromoted: [{ nodeClass: 'default', chooses: PIN, status: 'fail', why: '' }] })) },
      says: 'RBK104 EC2NodeClass default chooses al2023@v20251016, and chose al2023@v20250403 before the run of 2026-09-01 08:00 UTC, whose plan does not say which release people promoted. Set its amiSelectorTerms to al2023@v20250403 by hand if that is still wanted.',
    },
    {
      what: 'held',
      classes: [nodeClass({ heldAlias: 'al2023@latest' })],
      says: 'RBK104 EC2NodeClass default is pinned to the images in use by a run of Belay, instead of al2023@latest. Have that settled first: belay reconcile prod; then request this again.',
    },
    {
      what: 'chosen by names before',
      with: { run: run(drift([move({ before: 'names, tags or parameters' })])) },
      says: 'RBK110 EC2NodeClass default chose images by names, tags or parameters: which they are today, and for which minor, cannot be told. Look up what it chose where you keep it as code, and set that by hand under a budget of nodes: "0".',
    },
    {
      what: 'the image is gone',
      with: { images: { names: {} } },
      says: "RBK110 ami-132, which EC2NodeClass default chose, does no longer exist, or not for this account. Choose other images for 1.33 in its amiSelectorTerms: Amazon's by alias, your own after building them again.",
    },
    {
      what: 'images cannot be seen',
      with: { images: { unseen: 'reading images: not authorized' } },
      says: 'RBK110 Whether ami-132, to which EC2NodeClass default would go back, still exist and for which minor they are cannot be seen (reading images: not authorized). Allow ec2:DescribeImages, then ask again.',
    },
    {
      what: 'its name says no minor',
      with: { images: names('golden-7') },
      says: 'RBK110 The name of ami-132 (golden-7), which EC2NodeClass default chose, does not say for which minor it is. Where it is of a minor that may run under 1.33, set it in its amiSelectorTerms by hand.',
    },
    {
      what: 'images of several minors',
      with: {
        run: run(drift([move({ before: 'ami-132, ami-133' })])),
        images: { names: { 'ami-132': 'golden-1.32-7', 'ami-133': 'golden-1.33-2' } },
      },
      says: 'RBK110 EC2NodeClass default chose images of several minors: ami-132 of 1.32, ami-133 of 1.33. Set those that are wanted in its amiSelectorTerms by hand.',
    },
    {
      what: 'newer than the control plane',
      with: { images: names('golden-1.34-7') },
      says: 'RBK110 The images that EC2NodeClass default chose are of 1.34: no kubelet may be newer than the control plane, which is at 1.33. Choose images of 1.33 in its amiSelectorTerms.',
    },
    {
      what: 'older than the skew allows',
      with: { images: names('golden-1.29-7') },
      says: 'RBK110 The images that EC2NodeClass default chose are of 1.29: kubelets may lag 3 minors behind the control plane, which is at 1.33. Choose images of 1.33 in its amiSelectorTerms.',
    },
    {
      what: 'an alias without an image',
      with: { run: pinned, images: { builds: [{ ...BUILT, images: {} }] } },
      says: 'RBK110 Amazon has no image of al2023@v20250403 for 1.33: EC2NodeClass default would find none, and Karpenter would keep what it has. Choose another release of the family for 1.33, or image ids, in its amiSelectorTerms.',
    },
    {
      what: 'unknown is no pass',
      with: { run: pinned, images: { unseen: 'ssm: not authorized' } },
      says: 'RBK110 Whether Amazon has an image of al2023@v20250403 for 1.33, to which EC2NodeClass default would go back, cannot be seen (ssm: not authorized). Allow ssm:GetParameter on /aws/service/*, then ask again.',
    },
    {
      what: 'an earlier freeze holds others',
      pools: [nodePool('default', 12), nodePool('batch', 2, { nodeClass: 'other', frozenBy: 'eks-upgrade/1' })],
      says: 'RBK111 NodePool batch is still frozen by an earlier run, and its nodes would also be replaced when this run unfreezes drift. Decide about that freeze first: belay reconcile prod; then request this again.',
    },
  ])('$what', ({ classes, pools, with: change, says }) => {
    expect(refused(facts(classes, pools), seen(change))).toEqual([says]);
  });

  test.each([
    ['ids', OLD],
    ['names, which nobody has kept,', 'names, tags or parameters'],
  ])('unknown is no pass: terms that could not be read are not those of before, by %s', (_how, before) => {
    const { terms: _terms, ...unread } = nodeClass();
    expect(refused(facts([unread]), seen({ run: run(drift([move({ before })])) }))).toEqual([
      'RBK104 The amiSelectorTerms of EC2NodeClass default could not be read. Allow list on ec2nodeclasses.karpenter.k8s.aws, then ask again.',
    ]);
  });

  test('no Karpenter', () => {
    const alone = healthyFacts({ karpenter: undefined });
    expect(refused(alone)).toEqual([
      'RBK104 Karpenter is not there any more, or could not be read. Look at its Deployment, then ask again.',
    ]);
  });

  test('chosen by names before: the terms of the rollback point are said', () => {
    const terms = [{ name: 'golden-*' }];
    const point = { ...pointOf(facts(), 'run-1'), nodeClasses: [{ name: 'default', amiSelectorTerms: terms }] };
    const was = run(drift([move({ before: 'names, tags or parameters' })]));
    expect(refused(facts(), seen({ run: was, point }))[0]).toContain('Set its amiSelectorTerms to [{"name":"golden-*"}] by hand');
    expect(refused(facts([nodeClass({ terms })]), seen({ run: was, point }))[0]).toContain('There is nothing to do.');
  });
});
