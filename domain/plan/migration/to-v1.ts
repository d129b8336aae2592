/**
 * Karpenter's v1beta1 objects as v1. Sources: the v1 migration guide, and the conversion that Karpenter 1.0 does itself
 * (pkg/apis/v1/nodepool_conversion.go of sigs.k8s.io/karpenter, ec2nodeclass_conversion.go of karpenter-provider-aws), without the
 * annotations that it leaves for the way back.
 */
import { at, type Edit, type Manifest, type Path, type Rewrite } from './edit.ts';

export const NODE_POOL_BETA = 'karpenter.sh/v1beta1';
export const NODE_CLASS_BETA = 'karpenter.k8s.aws/v1beta1';
const NODE_CLASS_GROUP = 'karpenter.k8s.aws';
/** Families that an alias can name; the lower-cased name is the alias's. */
const WITH_ALIAS = new Set(['AL2', 'AL2023', 'Bottlerocket', 'Windows2019', 'Windows2022']);
/** Written by the conversion back to v1beta1 where v1 had a pinned alias. */
const ALIAS_VERSION = 'compatibility.karpenter.k8s.aws/v1-alias-version';
const ANNOTATIONS = ['metadata', 'annotations'];
const RENAMED_ANNOTATIONS = ['karpenter.sh/do-not-evict', 'karpenter.sh/do-not-consolidate'];
const KEEP_NODE = 'karpenter.sh/do-not-disrupt';

const REGISTRATION_TAINT = 'karpenter.sh/unregistered';

const TEMPLATE = ['spec', 'template'];
const KUBELET = [...TEMPLATE, 'spec', 'kubelet'];
const CLASS_REF = [...TEMPLATE, 'spec', 'nodeClassRef'];

/** The kubelet settings of a v1beta1 NodePool, which v1 has in the node class. */
export const kubeletOf = (pool: Manifest): unknown => at(pool, KUBELET);

/** @param nodeClass another one than now, where pools with different kubelets share one. */
export function nodePoolToV1(pool: Manifest, nodeClass?: string): Rewrite {
  return {
    edits: [
      { op: 'set', path: ['apiVersion'], value: 'karpenter.sh/v1', why: 'Karpenter 1.1 and later know only v1' },
      ...classRefEdits(pool, nodeClass),
      ...(kubeletOf(pool) === undefined
        ? []
        : [
            {
              op: 'remove' as const,
              path: KUBELET,
              why: `v1 has kubelet settings in the EC2NodeClass${nodeClass === undefined ? '' : ` ${nodeClass}`}`,
            },
          ]),
      ...disruptionEdits(pool),
      ...annotationEdits(pool, [...TEMPLATE, 'metadata', 'annotations']),
    ],
    questions: budgetQuestions(pool),
  };
}

function classRefEdits(pool: Manifest, nodeClass: string | undefined): Edit[] {
  const apiVersion = at(pool, [...CLASS_REF, 'apiVersion']);
  const group = typeof apiVersion === 'string' ? (apiVersion.split('/')[0] ?? NODE_CLASS_GROUP) : NODE_CLASS_GROUP;
  const edits: Edit[] = [];
  if (apiVersion !== undefined) edits.push({ op: 'remove', path: [...CLASS_REF, 'apiVersion'], why: 'v1 names the group alone' });
  if (at(pool, [...CLASS_REF, 'group']) === undefined)
    edits.push({ op: 'set', path: [...CLASS_REF, 'group'], value: group, why: 'v1 requires the group of the node class' });
  if (at(pool, [...CLASS_REF, 'kind']) === undefined)
    edits.push({ op: 'set', path: [...CLASS_REF, 'kind'], value: 'EC2NodeClass', why: 'v1 requires the kind of the node class' });
  if (nodeClass !== undefined && nodeClass !== at(pool, [...CLASS_REF, 'name']))
    edits.push({
      op: 'set',
      path: [...CLASS_REF, 'name'],
      value: nodeClass,
      why: 'its kubelet settings differ from those of other pools of the class: a class of its own; its nodes will drift',
    });
  return edits;
}

function disruptionEdits(pool: Manifest): Edit[] {
  const disruption = ['spec', 'disruption'];
  if (at(pool, disruption) === undefined) return [];
  const policy = at(pool, [...disruption, 'consolidationPolicy']);
  const edits: Edit[] = [];
  if (at(pool, [...disruption, 'expireAfter']) !== undefined)
    edits.push({
      op: 'move',
      path: [...disruption, 'expireAfter'],
      to: [...TEMPLATE, 'spec', 'expireAfter'],
      why: 'v1 has it in the template; from 1.0 on it is forceful: budgets do not hold it',
    });
  if (policy === 'WhenUnderutilized')
    edits.push({ op: 'set', path: [...disruption, 'consolidationPolicy'], value: 'WhenEmptyOrUnderutilized', why: 'renamed in v1' });
  // With WhenUnderutilized v1beta1 took none, and meant at once.
  if (policy !== 'WhenEmpty' && at(pool, [...disruption, 'consolidateAfter']) === undefined)
    edits.push({ op: 'set', path: [...disruption, 'consolidateAfter'], value: '0s', why: 'v1 requires it; 0s is how v1beta1 behaved' });
  return edits;
}

function budgetQuestions(pool: Manifest): string[] {
  const budgets = at(pool, ['spec', 'disruption', 'budgets']);
  if (!Array.isArray(budgets) || budgets.length > 0) return [];
  return [
    'spec.disruption.budgets is []: that is no limit at all, all nodes may be replaced at once. Is it meant? Without the key the limit is 10 %.',
  ];
}

/** Annotations on nodes and pods that 1.0 no longer reads. */
export function annotationEdits(object: Manifest, path: Path): Edit[] {
  const there = RENAMED_ANNOTATIONS.filter((name) => at(object, [...path, name]) !== undefined);
  const removed = there.map(
    (name): Edit => ({ op: 'remove', path: [...path, name], why: `1.0 does not know it; ${KEEP_NODE} takes its place` }),
  );
  if (!there.some((name) => at(object, [...path, name]) === 'true')) return removed;
  return [{ op: 'set', path: [...path, KEEP_NODE], value: 'true', why: `takes the place of ${there.join(' and ')}` }, ...removed];
}

/** @param kubelet the settings that its NodePools had. */
export function nodeClassToV1(nodeClass: Manifest, kubelet?: unknown): Rewrite {
  const { edits, questions } = amiRewrite(nodeClass);
  return {
    edits: [
      { op: 'set', path: ['apiVersion'], value: `${NODE_CLASS_GROUP}/v1`, why: 'Karpenter 1.1 and later know only v1' },
      ...edits,
      ...hopLimitEdits(nodeClass),
      ...(kubelet === undefined
        ? []
        : [
            {
              op: 'set' as const,
              path: ['spec', 'kubelet'],
              value: kubelet,
              why: 'v1 has kubelet settings here, no longer in the NodePool',
            },
          ]),
    ],
    questions: [...questions, ...taintQuestions(nodeClass)],
  };
}

/** 1.0 waits for this taint before it takes a node for registered; user data of the other families have it (v1 migration guide). */
function taintQuestions(nodeClass: Manifest): string[] {
  const userData = at(nodeClass, ['spec', 'userData']);
  if (at(nodeClass, ['spec', 'amiFamily']) !== 'Custom' || (typeof userData === 'string' && userData.includes(REGISTRATION_TAINT)))
    return [];
  return [
    `amiFamily Custom: do its nodes register with the taint ${REGISTRATION_TAINT}:NoExecute? 1.0 wants it, by user data or in the AMI.`,
  ];
}

function amiRewrite(nodeClass: Manifest): Rewrite {
  const family = at(nodeClass, ['spec', 'amiFamily']);
  const terms = at(nodeClass, ['spec', 'amiSelectorTerms']);
  const chosen = Array.isArray(terms) && terms.length > 0;
  if (family === 'Ubuntu') return ubuntu(nodeClass, chosen);
  if (chosen) return { edits: [], questions: [] };
  if (typeof family !== 'string' || !WITH_ALIAS.has(family)) {
    return {
      edits: [],
      questions: [`spec.amiSelectorTerms is required in v1, and amiFamily ${String(family)} has no alias: which AMIs should it select?`],
    };
  }
  const pinned = at(nodeClass, [...ANNOTATIONS, ALIAS_VERSION]);
  const version = typeof pinned === 'string' ? pinned : 'latest';
  const alias = `${family.toLowerCase()}@${version}`;
  return {
    edits: [
      {
        op: 'set',
        path: ['spec', 'amiSelectorTerms'],
        value: [{ alias }],
        why: 'v1 requires terms; this alias selects what the family did',
      },
      { op: 'remove', path: ['spec', 'amiFamily'], why: 'the alias says it' },
      ...(pinned === undefined ? [] : [{ op: 'remove' as const, path: [...ANNOTATIONS, ALIAS_VERSION], why: 'the alias says it' }]),
    ],
    questions:
      version === 'latest'
        ? [
            `${alias} moves on any day on which AWS releases an AMI, as amiFamily did: pin a release (${family.toLowerCase()}@v…) in production?`,
          ]
        : [],
  };
}

/** v1 dropped the family; its user data are AL2's, its root volume is not. */
function ubuntu(nodeClass: Manifest, chosen: boolean): Rewrite {
  const edits: Edit[] = [
    { op: 'set', path: ['spec', 'amiFamily'], value: 'AL2', why: 'v1 has no Ubuntu family; Ubuntu is bootstrapped as AL2 is' },
  ];
  if (at(nodeClass, ['spec', 'blockDeviceMappings']) === undefined)
    edits.push({
      op: 'set',
      path: ['spec', 'blockDeviceMappings'],
      value: [{ deviceName: '/dev/sda1', rootVolume: true, ebs: { encrypted: true, volumeType: 'gp3', volumeSize: '20Gi' } }],
      why: 'what the Ubuntu family had by default',
    });
  return { edits, questions: chosen ? [] : ['spec.amiSelectorTerms is required in v1: which Ubuntu AMIs should it select?'] };
}

function hopLimitEdits(nodeClass: Manifest): Edit[] {
  const path = ['spec', 'metadataOptions', 'httpPutResponseHopLimit'];
  if (at(nodeClass, path) !== undefined) return [];
  return [
    {
      op: 'set',
      path,
      value: 2,
      why: 'v1beta1’s default; v1’s is 1, which would drift the nodes and keep pods from instance metadata. Go to 1 in a change of its own',
    },
  ];
}
