/** Karpenter's v1alpha1 AWSNodeTemplate as a v1beta1 EC2NodeClass. Source: the v1beta1 migration guide. */
import { at, type Edit, type Manifest, type Rewrite } from './edit.ts';
import { NODE_CLASS_BETA } from './to-v1.ts';

type Term = Record<string, unknown>;

const listed = (value: unknown): string[] =>
  String(value)
    .split(',')
    .map((each) => each.trim());

/** Keys of selectors that are no tags, by the field of a term. */
const FIELDS: Record<string, string> = {
  'aws-ids': 'id',
  'aws::ids': 'id',
  'aws::name': 'name',
  'aws::owners': 'owner',
};

/** One term for each combination: values in a list are alternatives, keys hold together; terms are alternatives of each other. */
function termsOf(selector: unknown): Term[] {
  const entries = Object.entries(typeof selector === 'object' && selector !== null ? selector : {});
  return entries.reduce<Term[]>(
    (terms, [key, value]) => terms.flatMap((term) => listed(value).map((each) => withValue(term, key, each))),
    [{}],
  );
}

function withValue(term: Term, key: string, value: string): Term {
  const field = FIELDS[key];
  if (field !== undefined) return { ...term, [field]: value };
  const tags = typeof term['tags'] === 'object' ? term['tags'] : {};
  return { ...term, tags: { ...tags, [key]: value } };
}

const SELECTORS = [
  ['subnetSelector', 'subnetSelectorTerms'],
  ['securityGroupSelector', 'securityGroupSelectorTerms'],
  ['amiSelector', 'amiSelectorTerms'],
] as const;

export function nodeTemplateToNodeClass(template: Manifest): Rewrite {
  const spec = (key: string): unknown => at(template, ['spec', key]);
  return {
    edits: [
      { op: 'set', path: ['apiVersion'], value: NODE_CLASS_BETA, why: 'Karpenter 0.33 and later do not see v1alpha1' },
      { op: 'set', path: ['kind'], value: 'EC2NodeClass', why: 'the AWSNodeTemplate’s name in v1beta1' },
      ...(spec('amiFamily') === undefined
        ? [{ op: 'set' as const, path: ['spec', 'amiFamily'], value: 'AL2', why: 'v1beta1 requires it; AL2 was the default' }]
        : []),
      ...SELECTORS.filter(([from]) => spec(from) !== undefined).flatMap(([from, to]) => selectorEdits(spec(from), from, to)),
      ...(spec('launchTemplate') === undefined
        ? []
        : [{ op: 'remove' as const, path: ['spec', 'launchTemplate'], why: 'v1beta1 does not have it' }]),
      ...(template['status'] === undefined ? [] : [{ op: 'remove' as const, path: ['status'], why: 'Karpenter writes it' }]),
    ],
    questions: [
      ...SELECTORS.flatMap(([from, to]) => idQuestions(termsOf(spec(from)), to)),
      ...roleQuestions(spec('role'), spec('instanceProfile')),
      ...launchTemplateQuestions(spec('launchTemplate')),
    ],
  };
}

function selectorEdits(selector: unknown, from: string, to: string): Edit[] {
  const terms = termsOf(selector);
  // The same tags: they keep their comments.
  if (JSON.stringify(terms) === JSON.stringify([{ tags: selector }]))
    return [{ op: 'move', path: ['spec', from], to: ['spec', to, 0, 'tags'], why: `${to} take its place` }];
  return [
    { op: 'remove', path: ['spec', from], why: `${to} take its place` },
    { op: 'set', path: ['spec', to], value: terms, why: `one term for each combination of what ${from} listed` },
  ];
}

/** v1alpha1 did not look at ids (patterns of the v1beta1 CRD). */
function idQuestions(terms: readonly Term[], to: string): string[] {
  const ids = new Set(terms.map(({ id }) => id).filter((id) => typeof id === 'string'));
  return [...ids]
    .filter((id) => !/^(?:ami|subnet|sg)-[0-9a-z]+$/.test(id))
    .map((id) => `spec.${to} names ${id}, which is no id: v1beta1 refuses it.`);
}

/** v1beta1 has exactly one of the two (CRD of 0.32.10; the guide is older and says that instanceProfile is gone). */
function roleQuestions(role: unknown, profile: unknown): string[] {
  if (role !== undefined || profile !== undefined) return [];
  return [
    'spec.role is required: write the name of the IAM role in aws.defaultInstanceProfile of karpenter-global-settings (Karpenter makes instance profiles itself then, and needs the permissions), or that profile as spec.instanceProfile.',
  ];
}

function launchTemplateQuestions(launchTemplate: unknown): string[] {
  if (typeof launchTemplate !== 'string') return [];
  return [
    `spec.launchTemplate ${launchTemplate} has no successor: write what it sets as amiSelectorTerms, userData, blockDeviceMappings and tags.`,
  ];
}
