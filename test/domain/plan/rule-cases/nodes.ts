/** Nodes that break a rule. */
import { validatePlan } from '../../../../domain/plan/validate.ts';
import { seed000Facts, seed002Facts } from '../../../support/facts.ts';
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
        'Change its alias to al2023@… (it replaces the nodes: pace it), or move the workloads to a new EC2NodeClass.',
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
        'Name a release with images for the minor in belay.yaml (karpenter.amis), or pin the node class to one.',
      ],
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
    ],
    expected: [
      [
        '12 Karpenter nodes at 1.30 would be 4 minors behind a control plane at 1.34; 3 are allowed.',
        'Bring these nodes to the control plane’s present minor first.',
      ],
      [
        '1 Fargate nodes at 1.24 would be 3 minors behind a control plane at 1.27; 2 are allowed.',
        'Bring these nodes to the control plane’s present minor first.',
      ],
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
        'Use the strategy every-hop, or upgrade in two runs.',
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
        'Put freeze-drift before the first control-plane step and karpenter-drift after the last.',
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
