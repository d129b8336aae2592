/** What has to be true of an EC2NodeClass before a NodePool is pointed at it. */
import { compareComponentVersions, tryComponentVersion } from '../../core/component-version.ts';
import type { ClusterFacts, NodeClassFact } from '../../facts/facts.ts';
import { familyOf } from '../karpenter/node-class-switch.ts';
import type { Breach, Rule } from './rule.ts';

/** Amazon Linux 2023 needs it (Amazon VPC CNI plugin, IMDSv2 and AL2023). */
const VPC_CNI_OF_AL2023 = 'v1.16.2';

/** What user data each family starts with; anything else keeps a node from joining (karpenter.sh, EC2NodeClass, userData). */
const RIGHT_USER_DATA: Readonly<Record<string, { kinds: readonly NodeClassFact['userData'][]; right: string }>> = {
  AL2: { kinds: ['none', 'shell', 'mime'], right: 'a shell script or MIME parts' },
  AL2023: { kinds: ['none', 'nodeadm', 'mime'], right: 'a NodeConfig of nodeadm, or MIME parts without bootstrap.sh' },
  Bottlerocket: { kinds: ['none', 'toml'], right: 'TOML settings' },
};

export const nodeClassSwitchPossible: Rule = {
  name: 'node-class-switch-possible',
  text: 'A NodePool moves only to an EC2NodeClass that exists, is Ready, and starts nodes that can join.',
  remedy: 'Correct karpenter.switchNodeClass in belay.yaml.',
  check: ({ facts }) =>
    (facts.karpenter?.switches ?? []).flatMap(({ nodePool, from, to }): Breach[] => {
      if (from === '') return [{ message: `There is no NodePool ${nodePool} to point at EC2NodeClass ${to}.` }];
      const nodeClass = facts.karpenter?.nodeClasses.find(({ name }) => name === to);
      if (nodeClass === undefined) {
        return [
          {
            message: `NodePool ${nodePool} cannot be pointed at EC2NodeClass ${to}: there is none.`,
            remedy: `Create EC2NodeClass ${to} first.`,
          },
        ];
      }
      if (!nodeClass.ready) {
        return [
          {
            message: `EC2NodeClass ${to} is not Ready: NodePool ${nodePool} could launch no node.`,
            remedy: 'Read the conditions of the class and solve what they name.',
          },
        ];
      }
      return [...wrongUserData(nodeClass), ...oldCni(nodeClass, facts)];
    }),
};

function wrongUserData(nodeClass: NodeClassFact): Breach[] {
  const family = familyOf(nodeClass) ?? '';
  const wanted = RIGHT_USER_DATA[family];
  const { userData = 'none', name } = nodeClass;
  if (wanted === undefined || wanted.kinds.includes(userData)) return [];
  return [
    { message: `The user data of EC2NodeClass ${name} is not for ${family}: its nodes would not join.`, remedy: `Write ${wanted.right}.` },
  ];
}

function oldCni(nodeClass: NodeClassFact, { addOns }: ClusterFacts): Breach[] {
  const installed = tryComponentVersion(addOns.find(({ name }) => name === 'vpc-cni')?.version ?? '');
  const least = tryComponentVersion(VPC_CNI_OF_AL2023);
  if (familyOf(nodeClass) !== 'AL2023' || installed === undefined || least === undefined || compareComponentVersions(installed, least) >= 0)
    return [];
  return [
    {
      message: `EC2NodeClass ${nodeClass.name} is of AL2023, which needs vpc-cni ${VPC_CNI_OF_AL2023} or newer.`,
      remedy: 'Update the add-on vpc-cni first.',
    },
  ];
}
