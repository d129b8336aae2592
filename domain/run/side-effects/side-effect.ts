/** A side effect as workflows hear of it and people read it: bounded, without secrets, with how to put it back. */
import { isRecord } from '../../core/unknown.ts';
import type { RawDifference } from './compare.ts';
import { pathText, pointerText } from './paths.ts';
import type { EksKind } from './self-changes.ts';
import { defined } from '../../core/defined.ts';

/** Which resource; an object of Kubernetes by what its API calls it. */
export type Touched =
  /** `region`: absent in what an older Belay has noted. */
  | { eks: EksKind; cluster: string; region?: string; name: string }
  | { apiVersion: string; plural: string; namespace?: string; name: string };

export interface Difference {
  /** "serviceAccountRoleArn", "spec.template.spec.containers[web].image" */
  path: string;
  /** JSON pointer into the resource as it is now; absent: the element is gone. */
  pointer?: string;
  /** JSON, cut; absent: it was not there. */
  before?: string;
  after?: string;
  /** A command; absent: its value is hidden or too long, or no single command does it. */
  putBack?: string;
}

export interface SideEffect {
  resource: Touched;
  /** What was changed meanwhile. */
  during: string;
  /** The first ones: only these are looked at again. */
  differences: Difference[];
  moreCount: number;
}

/** A history keeps them. */
const KEPT = 24;
const LONGEST = 160;

/** One-way, short. */
export type Digest = (text: string) => string;

/** undefined: nothing differs. */
export function sideEffectOf(resource: Touched, during: string, found: readonly RawDifference[], digest: Digest): SideEffect | undefined {
  if (found.length === 0) return undefined;
  return {
    resource,
    during: during.slice(0, 120),
    differences: found.slice(0, KEPT).map((each) => differenceOf(resource, each, digest)),
    moreCount: Math.max(0, found.length - KEPT),
  };
}

function differenceOf(resource: Touched, each: RawDifference, digest: Digest): Difference {
  const { path, at, before, after } = each;
  const text = pathText(path);
  const isOpen = before === undefined || valueText(text, before, digest) === JSON.stringify(before);
  const putBack = isOpen ? commandFor(resource, each) : undefined;
  return {
    path: text.slice(0, LONGEST),
    ...(at === undefined ? {} : { pointer: pointerText(at) }),
    ...(before === undefined ? {} : { before: valueText(text, before, digest) }),
    ...(after === undefined ? {} : { after: valueText(text, after, digest) }),
    ...defined({ putBack }),
  };
}

const SECRET =
  /pass(?:word|wd|phrase)|secret(?!Ref|Name)|token(?!s$)|credential|private|api_?key|access_?key|userdata|caBundle|certificateAuthority/i;

/** JSON; what may be a secret, and what is long, with a digest, so that equal texts are equal values. */
export function valueText(path: string, value: unknown, digest: Digest): string {
  const json = JSON.stringify(withDigests(path, value, digest));
  return json.length <= LONGEST ? json : `${json.slice(0, LONGEST - 12)}… ${digest(json)}`;
}

function withDigests(path: string, value: unknown, digest: Digest): unknown {
  if (SECRET.test(path) || /\.env\[[^\]]*\]\.value$/.test(path)) return `[hidden ${digest(JSON.stringify(value))}]`;
  if (Array.isArray(value)) return value.map((each) => withDigests('', each, digest));
  if (!isRecord(value)) return value;
  const named = typeof value['name'] === 'string' && 'value' in value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      named && key === 'value' ? `[hidden ${digest(JSON.stringify(inner))}]` : withDigests(key, inner, digest),
    ]),
  );
}

const EKS_WORDS: Record<EksKind, string> = {
  cluster: 'cluster',
  'node-group': 'node group',
  'add-on': 'add-on',
  'launch-template': 'launch template',
};

/** "add-on aws-ebs-csi-driver", "deployments.apps/v1 shop/web" */
export function touchedText(resource: Touched): string {
  if ('eks' in resource) return `${EKS_WORDS[resource.eks]} ${resource.name}`;
  const { plural, namespace, name } = resource;
  return `${plural} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function commandFor(resource: Touched, { path, at, before, after }: RawDifference): string | undefined {
  if ('eks' in resource) return eksCommand(resource, String(path[0]), path.slice(1).map(String), before, after);
  if (at === undefined) return undefined;
  const pointer = pointerText(at);
  const operation =
    before === undefined ? { op: 'remove', path: pointer } : { op: after === undefined ? 'add' : 'replace', path: pointer, value: before };
  const { plural, namespace, name } = resource;
  const where = namespace === undefined ? '' : ` --namespace ${namespace}`;
  return `kubectl patch ${plural} ${name}${where} --type json --patch ${quoted(JSON.stringify([operation]))}`;
}

/** aws eks … of AWS CLI v2, by the member that differs. */
function eksCommand(
  { eks, cluster: eksName, region, name }: Extract<Touched, { eks: EksKind }>,
  member: string,
  rest: readonly string[],
  before: unknown,
  after: unknown,
): string | undefined {
  // Another region may have a cluster of the same name.
  const cluster = region === undefined ? eksName : `${eksName} --region ${region}`;
  const json = (value: unknown): string => quoted(JSON.stringify(value));
  const addOn = `aws eks update-addon --cluster-name ${cluster} --addon-name ${name} --resolve-conflicts PRESERVE`;
  const config = `aws eks update-nodegroup-config --cluster-name ${cluster} --nodegroup-name ${name}`;
  const whole = `aws eks update-cluster-config --name ${cluster}`;
  const key = rest[0] ?? '';
  switch (`${eks}/${member}`) {
    case 'add-on/serviceAccountRoleArn':
      return typeof before === 'string' ? `${addOn} --service-account-role-arn ${before}` : addOn;
    case 'node-group/labels':
      return before === undefined
        ? `${config} --labels ${json({ removeLabels: [key] })}`
        : `${config} --labels ${json({ addOrUpdateLabels: { [key]: before } })}`;
    case 'node-group/scalingConfig':
    case 'node-group/updateConfig':
      return before === undefined || key === ''
        ? undefined
        : `${config} --${member === 'scalingConfig' ? 'scaling' : 'update'}-config ${json({ [key]: before })}`;
    case 'node-group/launchTemplate':
      return key !== 'version' || typeof before !== 'string'
        ? undefined
        : `aws eks update-nodegroup-version --cluster-name ${cluster} --nodegroup-name ${name} --launch-template id=LAUNCH_TEMPLATE,version=${before}`;
    case 'cluster/resourcesVpcConfig':
      return before === undefined || after === undefined ? undefined : `${whole} --resources-vpc-config ${json({ [key]: before })}`;
    case 'cluster/upgradePolicy':
      return before === undefined ? undefined : `${whole} --upgrade-policy ${json({ [key]: before })}`;
    case 'cluster/deletionProtection':
      return before === undefined ? undefined : `${whole} --${before === true ? '' : 'no-'}deletion-protection`;
    default:
      return undefined;
  }
}
