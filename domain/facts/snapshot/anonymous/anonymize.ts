/** Takes names, accounts, ARNs, registries and addresses out of the lines of a snapshot: what is no public word becomes a token. Structure stays. */
import { defined } from '../../../core/defined.ts';
import { isRecord } from '../../../core/unknown.ts';
import { isKind } from '../allowed/kinds.ts';
import { DEPRECATED_CALLS } from '../../../tables/deprecated-calls.ts';
import type { SnapshotLine } from '../format.ts';
import { LABELS } from '../marks.ts';
import { FREE_TEXT, isPublicDomain, isPublicManager, isPublicWord, PLAIN_FIELDS } from './public-words.ts';
import type { Tokens } from './tokens.ts';
import { TRAFFIC } from '../../istio-traffic.ts';

/** Where a value stands: its field, and the fields above it. */
interface Place {
  field: string;
  above: string;
  plural: string;
  /** Keys whose values are teams. */
  owners: ReadonlySet<string>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Between the parts of ARNs, paths, provider ids and identities. */
const PARTS = /([/:,@ ()"{}[\]])/;
/** Maps whose keys are labels, resources or tags. */
const KEYED: ReadonlySet<string> = new Set(
  `labels matchLabels nodeSelector selector tags requests limits capacity allocatable overhead resources annotations amiSelector subnetSelector
  securityGroupSelector systemReserved kubeReserved`.split(/\s+/),
);
/** Fields whose value is a key of such a map. */
const KEYS: ReadonlySet<string> = new Set([
  'key',
  'Key',
  'finalizers',
  'topologyKey',
  'matchLabelKeys',
  'mismatchLabelKeys',
  'topologyKeys',
]);
/** `owner` and `team` are where Belay looks for whose a workload is; their values are names. */
const PLAIN_KEYS: ReadonlySet<string> = new Set<string>([
  ...LABELS,
  'cpu',
  'memory',
  'storage',
  'ephemeral-storage',
  'pods',
  'Name',
  TRAFFIC.by,
  'owner',
  'team',
]);
/** Tags that AWS and EKS set themselves: eks:nodegroup-name says which Auto Scaling groups are a node group's. */
const RESERVED_TAG = /^(?:aws|eks):[\w:-]+$/;

/** For the lines of one snapshot, its header first: that says which labels name teams. */
export function anonymizer(tokens: Tokens): (line: SnapshotLine) => SnapshotLine {
  let owners: ReadonlySet<string> = new Set();
  return (line) => {
    if (line.kind === 'header') owners = new Set(line.ownerKeys);
    return anonymize(line, tokens, owners);
  };
}

/** The line without names. Pure but for the tokens, which remember what they were given for. `owners`: keys whose values are teams. */
export function anonymize(line: SnapshotLine, tokens: Tokens, owners: ReadonlySet<string> = new Set()): SnapshotLine {
  const rewritten = <T>(value: T, field: string, plural: string): T => rewrite(value, { field, above: '', plural, owners }, tokens) as T;
  switch (line.kind) {
    case 'header':
      // A label such as acme.example/squad has the token here that it has on the objects: whoever reads them finds teams by it.
      return {
        ...line,
        cluster: rewritten(line.cluster, 'cluster', 'clusters'),
        ...defined({ ownerKeys: line.ownerKeys?.map((key) => keyOf(key, tokens)) }),
      };
    case 'object':
      return { ...line, object: rewritten(line.object, '', line.plural) };
    case 'aws':
      return {
        ...line,
        input: rewritten(line.input, '', line.operation),
        ...(line.output === undefined ? {} : { output: rewritten(line.output, '', line.operation) }),
      };
    case 'metric':
      // Names of Kubernetes' own types are nobody's.
      return line.query === DEPRECATED_CALLS ? line : { ...line, samples: rewritten(line.samples, 'samples', 'metrics') };
    case 'gap':
      return { ...line, why: withoutWords(line.denied) };
    case 'list':
      return line.why === undefined ? line : { ...line, why: withoutWords(line.denied) };
    case 'end':
      return line;
  }
}

/** What went wrong may name anything. */
const withoutWords = (denied: true | undefined): string => (denied === true ? 'a right is missing' : 'it could not be read');

function rewrite(value: unknown, place: Place, tokens: Tokens): unknown {
  if (typeof value === 'string') return text(value, place, tokens);
  if (Array.isArray(value)) {
    return value.map((each) => rewrite(each, isRecord(each) ? { ...place, field: '', above: place.field } : place, tokens));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      KEYED.has(place.field) && !isRecord(inner) && !Array.isArray(inner) ? keyOf(name, tokens) : name,
      rewrite(inner, { ...place, field: name, above: place.field }, tokens),
    ]),
  );
}

function text(value: string, { field, above, plural, owners }: Place, tokens: Tokens): string {
  if (KEYED.has(above) && owners.has(field)) return parts(value, 'team', tokens);
  if (KEYED.has(above)) return parts(value, above === 'annotations' ? 'mark' : kindOfLabel(field), tokens);
  if (KEYS.has(field)) return keyOf(value, tokens);
  if (FREE_TEXT.has(field)) return isInsight(plural) ? LEFT_OUT : '';
  if (field === 'uid' || field === 'configurationSchema' || PLAIN_FIELDS.has(field) || value.startsWith('/aws/service/')) return value;
  switch (field) {
    case 'reason':
      return /^[A-Z][A-Za-z0-9]+$/.test(value) ? value : isInsight(plural) ? LEFT_OUT : '';
    case 'manager':
      return isPublicManager(value) ? value : tokens.of(value, 'program');
    case 'image':
      return imageOf(value, tokens);
    case 'names':
      return above === 'images' ? imageOf(value, tokens) : parts(value, 'name', tokens);
    case 'apiVersion':
    case 'group':
    case 'apiGroups':
      return groupOf(value, tokens);
    case 'kind':
      return isKind(value) || isPublicWord(value) ? value : tokens.of(value, 'kind');
    case 'holderIdentity':
      return value
        .split('_')
        .map((part) => parts(part, 'holder', tokens))
        .join('_');
    case 'name':
      if (above === 'metadata' && plural === 'customresourcedefinitions') return definitionOf(value, tokens);
      // EKS's own words.
      if (above === 'insight' || above === 'insights') return value;
  }
  return parts(value, kindOfField(field, above, plural), tokens);
}

/** Shown as they are, so they say why they say nothing. */
const isInsight = (operation: string): boolean => /Insights?$/.test(operation);
const LEFT_OUT = 'EKS says why in words that may name something; the snapshot is without names.';

/** ARNs and the like keep their form, and each part that is a name of its own has the token that it has alone. */
function parts(value: string, kind: string, tokens: Tokens): string {
  return value
    .split(PARTS)
    .map((part, at) => (at % 2 === 1 || isPublicWord(part) || isPublicDomain(part) ? part : named(part, kind, tokens)))
    .join('');
}

function named(part: string, kind: string, tokens: Tokens): string {
  if (/^\d{12}$/.test(part)) return tokens.of(part, 'account');
  if (UUID.test(part)) return tokens.of(part, 'id');
  // subnet-0abc, i-0abc, lt-0abc: the prefix says what it is.
  const prefix = /^([a-z]{1,10})-[0-9a-f]{8,17}$/.exec(part)?.[1];
  if (prefix !== undefined) return tokens.of(part, prefix);
  return tokens.of(part, kind);
}

/** A key of a domain that everybody has stays. Tags such as kubernetes.io/cluster/NAME have a name in them. */
function keyOf(key: string, tokens: Tokens): string {
  if (PLAIN_KEYS.has(key) || RESERVED_TAG.test(key)) return key;
  const [domain = '', ...rest] = key.split('/');
  if (rest.length === 0 || !isPublicDomain(domain)) return tokens.of(key, 'label');
  const [name = '', ...below] = rest;
  return [domain, name, ...below.map((each) => parts(each, 'cluster', tokens))].join('/');
}

function groupOf(value: string, tokens: Tokens): string {
  const [group = '', version] = value.split('/');
  const known = isPublicWord(group) || isPublicDomain(group) || group === '*' || !group.includes('.');
  return [known ? group : tokens.of(group, 'group'), ...(version === undefined ? [] : [version])].join('/');
}

/** "certificates.cert-manager.io" */
function definitionOf(value: string, tokens: Tokens): string {
  const dot = value.indexOf('.');
  const group = value.slice(dot + 1);
  return isPublicDomain(group) ? value : `${tokens.of(value.slice(0, dot), 'type')}.${groupOf(group, tokens)}`;
}

/** "registry-qwerty/image-asdfgh:1.2.3" */
function imageOf(value: string, tokens: Tokens): string {
  const [named = '', digest] = value.split('@');
  const slash = named.lastIndexOf('/');
  const colon = named.indexOf(':', slash);
  const [path, tag] = colon < 0 ? [named, undefined] : [named.slice(0, colon), named.slice(colon + 1)];
  const steps = path.split('/').map((step, at, all) => {
    if (at === 0 && all.length > 1 && /[.:]/.test(step))
      return isPublicDomain(step) && !/^\d{12}\./.test(step) ? step : tokens.of(step, 'registry');
    return isPublicWord(step) ? step : tokens.of(step, 'image');
  });
  const version = tag === undefined ? '' : `:${isPublicWord(tag) ? tag : tokens.of(tag, 'tag')}`;
  return `${steps.join('/')}${version}${digest === undefined ? '' : `@${digest}`}`;
}

const KIND_OF_LABEL: Readonly<Record<string, string>> = {
  owner: 'team',
  team: 'team',
  'karpenter.sh/nodepool': 'nodepool',
  'kubernetes.io/metadata.name': 'namespace',
  [TRAFFIC.by]: 'namespace',
  'eks.amazonaws.com/nodegroup': 'nodegroup',
  'kubernetes.io/hostname': 'node',
};

const kindOfLabel = (key: string): string => KIND_OF_LABEL[key] ?? 'name';

const KIND_OF_FIELD: Readonly<Record<string, string>> = {
  namespace: 'namespace',
  nodeName: 'node',
  nodeGroup: 'nodegroup',
  nodegroups: 'nodegroup',
  nodegroupName: 'nodegroup',
  claimName: 'claim',
  clusterName: 'cluster',
  eksName: 'cluster',
  serviceAccountName: 'account-name',
  roleArn: 'role',
  account: 'account',
};

const APPLICATIONS: ReadonlySet<string> = new Set(
  'deployments statefulsets daemonsets poddisruptionbudgets services horizontalpodautoscalers rollouts cronjobs'.split(' '),
);

function kindOfField(field: string, above: string, plural: string): string {
  const known = KIND_OF_FIELD[field];
  if (known !== undefined) return known;
  // A Deployment's budget and Service have its name, and the first of them gives the token its kind.
  if (field === 'name' && above === 'metadata' && APPLICATIONS.has(plural)) return 'app';
  if (field === 'name' && above === 'metadata') return plural.replace(/ies$/, 'y').replace(/sses$/, 'ss').replace(/s$/, '');
  if (field === 'name' && above === 'cluster') return 'cluster';
  return 'name';
}
