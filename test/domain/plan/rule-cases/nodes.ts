/** Nodes that break a rule. */
import { validatePlan } from '../../../../domain/plan/validate.ts';
import type { NodeClassFact } from '../../../../domain/facts/facts.ts';
import { addOn, nodePool, policy, seed000Facts, seed002Facts } from '../../../support/facts.ts';
import { planOf, refusalOf, withStep } from '../../../support/plans.ts';
import { at, healthy, type RuleCase } from './case.ts';

export const NODES_CASES: RuleCase[] = [
  {
    rule: 'no-al2-from-1.33',
    title: 'Amazon Linux 2 in a node group and in a node class',
    found: () => {
      const facts = seed000Facts();
      const nodeClasses = [{ name: 'old', ready: true, alias: 'al2@latest', amiIds: [] }];
      const nodePools = (facts.karpenter?.nodePools ?? []).map((pool) => ({ ...pool, nodeClass: 'old' }));
      return refusalOf({ ...facts, karpenter: facts.karpenter && { ...facts.karpenter, nodeClasses, nodePools } }, '1.33');
    },
    expected: [
      [
        'Node group karpenter has AMI type AL2_x86_64, which does not exist for 1.33.',
        'An AMI type cannot be changed: create a node group with AL2023, drain karpenter and delete it.',
      ],
      [
        'EC2NodeClass old uses alias al2@latest, which does not exist for 1.33: its node pools would stop to provision.',
        'Create an EC2NodeClass with alias al2023@… or bottlerocket@…, and name it in belay.yaml (karpenter.switchNodeClass): Belay points its NodePools there under the freeze.',
      ],
    ],
  },
  {
    rule: 'pinned-releases-have-images',
    title: 'a pinned release without images, of a family whose newest release is not known',
    found: () => {
      const nodeClasses = [{ name: 'default', ready: true, alias: 'bottlerocket@v1.20.4', amiIds: ['ami-1'] }];
      const amiBuilds = [{ alias: 'bottlerocket@v1.20.4', minor: '1.34', images: {} }];
      return refusalOf({ ...healthy, amiBuilds, karpenter: healthy.karpenter && { ...healthy.karpenter, nodeClasses } }, '1.34');
    },
    expected: [
      [
        'EC2NodeClass default is pinned to bottlerocket@v1.20.4, for which there is no image for 1.34: its new nodes would silently keep the old version.',
        'Name a release with such images in belay.yaml (karpenter.amis), or pin the class to one.',
      ],
    ],
  },
  {
    rule: 'amis-can-be-held',
    title: 'nodes of one architecture run two images',
    found: () => refusalOf({ ...healthy, amiHolds: [{ nodeClass: 'default', ids: [], refused: 'its amd64 nodes run 2 AMIs' }] }, '1.34'),
    expected: [
      [
        'The AMIs of EC2NodeClass default cannot be held: its amd64 nodes run 2 AMIs.',
        'First roll its nodes to one AMI, split it, or remove karpenter.holdAmis.',
      ],
    ],
  },
  {
    rule: 'node-class-switch-possible',
    title: 'pools and classes that are not there, not Ready, or whose nodes could not join',
    found: () => {
      const target = (name: string, change: Partial<NodeClassFact> = {}) => ({
        name,
        ready: true,
        alias: 'al2023@latest',
        amiIds: [],
        ...change,
      });
      const nodeClasses = [
        target('default'),
        target('unready', { ready: false }),
        target('old-script', { userData: 'shell' }),
        target('br', { alias: 'bottlerocket@latest', userData: 'nodeadm' }),
      ];
      const nodePools = ['a', 'b', 'c', 'd', 'e'].map((name) => nodePool(name, 1));
      const addOns = healthy.addOns.map((each) =>
        each.name === 'vpc-cni' ? addOn('vpc-cni', 'v1.16.0-eksbuild.1', { offered: each.offered }) : each,
      );
      const switchNodeClass = [
        { nodePool: 'gone', to: 'default' },
        { nodePool: 'a', to: 'nowhere' },
        { nodePool: 'b', to: 'unready' },
        { nodePool: 'c', to: 'old-script' },
        { nodePool: 'd', to: 'br' },
      ];
      const karpenter = healthy.karpenter && { ...healthy.karpenter, nodeClasses, nodePools };
      const asked = { policy: { ...policy(), karpenter: { ...policy().karpenter, switchNodeClass } } };
      return refusalOf({ ...healthy, addOns, karpenter }, '1.34', asked).filter(({ rule }) => rule === 'node-class-switch-possible');
    },
    expected: [
      ['There is no NodePool gone to point at EC2NodeClass default.', 'Correct karpenter.switchNodeClass in belay.yaml.'],
      ['NodePool a cannot be pointed at EC2NodeClass nowhere: there is none.', 'Create EC2NodeClass nowhere first.'],
      ['EC2NodeClass unready is not Ready: NodePool b could launch no node.', 'Read the conditions of the class and solve what they name.'],
      [
        'The user data of EC2NodeClass old-script is not for AL2023: its nodes would not join.',
        'Write a NodeConfig of nodeadm, or MIME parts without bootstrap.sh.',
      ],
      ['EC2NodeClass old-script is of AL2023, which needs vpc-cni v1.16.2 or newer.', 'Update the add-on vpc-cni first.'],
      ['The user data of EC2NodeClass br is not for Bottlerocket: its nodes would not join.', 'Write TOML settings.'],
    ],
  },
  {
    rule: 'kubelet-skew',
    title: 'kubelets that are three behind already; two are allowed below 1.25',
    found: () => [
      ...refusalOf({ ...healthy, kubelets: [{ minor: '1.30', count: 12, owner: 'karpenter' }] }, '1.34'),
      ...refusalOf(
        at('1.26', {
          supportedVersions: [{ version: '1.27' }],
          karpenter: undefined,
          istio: undefined,
          kubelets: [{ minor: '1.24', count: 1, owner: 'fargate' }],
        }),
        '1.27',
      ),
      ...refusalOf({ ...healthy, kubelets: [{ minor: '1.34', count: 1, owner: 'karpenter' }] }, '1.34'),
      ...refusalOf({ ...healthy, kubelets: [{ minor: '1.34', count: 2, owner: 'node-group' }] }, '1.34'),
    ],
    expected: [
      [
        '12 Karpenter nodes at 1.30 would be 4 minors behind a control plane at 1.34; 3 are allowed.',
        'First move these nodes to the control plane’s minor.',
      ],
      [
        '1 Fargate node at 1.24 would be 3 minors behind a control plane at 1.27; 2 are allowed.',
        'First move these nodes to the control plane’s minor.',
      ],
      ['1 Karpenter node at 1.34 is newer than the control plane.', 'First move these nodes to the control plane’s minor.'],
      ['2 node-group nodes at 1.34 are newer than the control plane.', 'First move these nodes to the control plane’s minor.'],
    ],
  },
  {
    rule: 'once-at-the-end-within-skew',
    title: 'nodes that cannot wait for the last hop',
    found: () => {
      const kubelets = [{ minor: '1.30', count: 20, owner: 'karpenter' as const }];
      return refusalOf(seed002Facts({ kubelets }), '1.34', { strategy: 'once-at-the-end' });
    },
    expected: [
      [
        '20 Karpenter nodes at 1.30 would be 4 minors behind a control plane at 1.34; 3 are allowed.',
        'Use strategy every-hop, or two runs.',
      ],
    ],
  },
  {
    rule: 'freeze-while-the-control-plane-moves',
    title: 'a freeze that nothing lifts',
    found: () => {
      const facts = { ...healthy, kubelets: [] };
      return validatePlan(withStep(planOf(facts, '1.34'), 'karpenter-drift@1.34', undefined), facts);
    },
    expected: [
      [
        "Node pools default are still frozen at the plan's end.",
        'Put freeze-drift before the first control-plane and karpenter-drift after the last.',
      ],
    ],
  },
  {
    rule: 'nodes-reach-the-target',
    title: 'a node group that is forgotten',
    found: () => validatePlan(withStep(planOf(healthy, '1.34'), 'node-groups@1.34', undefined), healthy),
    expected: [
      [
        '3 nodes of node group system would still be at 1.33 when the plan ends.',
        'Add the node group to node-groups, or a karpenter-drift step, in the last hop.',
      ],
    ],
  },
];
