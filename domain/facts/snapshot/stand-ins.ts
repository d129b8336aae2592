/** What a snapshot keeps in the place of values that must not be in it: only as much as a decision rests on. */
import { isRecord } from '../../core/unknown.ts';
import { type AddressFault, addressFault } from '../../tables/strict-addresses.ts';
import { outlineOf } from '../configuration-schema.ts';

/** Digests, commit ids and the like: git's own short form still tells them apart, and a secret is no secret any more with most of it gone. */
const HEX_RUN = /(?<![0-9a-zA-Z])([0-9a-fA-F]{12})[0-9a-fA-F]{20,}(?![0-9a-zA-Z])/g;

/** Every text that is kept: hexadecimal runs of 32 and more are cut to 12. The same run gives the same, so that names still lead to each other. */
export const shortened = (text: string): string => (text.length < 32 ? text : text.replace(HEX_RUN, '$1'));

/** What tells the kinds of user data apart, in the order in which they are looked for; the words are what nodeadm, AL2 and Bottlerocket read. */
const USER_DATA_MARKS: readonly [RegExp, string][] = [
  [/bootstrap\.sh/, 'bootstrap.sh'],
  [/node\.eks\.aws/, 'node.eks.aws'],
  [/^MIME-Version:/im, 'MIME-Version:'],
  [/^#!/, '#!'],
  [/^\s*\[settings/m, '[settings'],
];

/** Sockets of container runtimes: a pod that mounts one asks for that runtime. */
const RUNTIME_SOCKET = /^(?:\/var)?\/run\/(?:docker|dockershim|containerd\/containerd|crio\/crio)\.sock$/;

export type StandIn = keyof typeof STAND_INS;

export const STAND_INS = {
  /** That it is there. */
  present: (value: unknown): unknown => (value === null ? undefined : {}),
  /** Of last-applied: the version that it was applied in. */
  applied: (value: unknown): unknown => keptOfJson(value, (json) => ({ apiVersion: textOr(json['apiVersion']) })),
  /** Of sidecar.istio.io/status. */
  injected: (value: unknown): unknown => keptOfJson(value, (json) => ({ revision: textOr(json['revision']) })),
  /** The mark that says which kind it is. */
  userData: (value: unknown): unknown => {
    if (typeof value !== 'string' || value.trim() === '') return undefined;
    return USER_DATA_MARKS.find(([pattern]) => pattern.test(value))?.[1] ?? 'other';
  },
  /** Of arguments: that a proxy is a gateway's. */
  router: (value: unknown): unknown => (Array.isArray(value) && value.includes('router') ? ['router'] : undefined),
  /** Of paths on a node. */
  socket: (value: unknown): unknown => (typeof value === 'string' && RUNTIME_SOCKET.test(value) ? value : undefined),
  /** That a Service is headless. */
  headless: (value: unknown): unknown => (value === 'None' ? value : undefined),
  /** An address, of which its being there counts, and why API servers of 1.36 reject it. https://www.rfc-editor.org/rfc/rfc5737 */
  address: (value: unknown): unknown => (typeof value === 'string' ? ADDRESSES[addressFault(value) ?? 'none'] : undefined),
  /** A CIDR, as an address. */
  network: (value: unknown): unknown => (typeof value === 'string' ? NETWORKS[addressFault(value) ?? 'none'] : undefined),
  /** Of the name of a subject: that it is nobody who has signed in. */
  anonymous: (value: unknown): unknown => (value === 'system:anonymous' || value === 'system:unauthenticated' ? value : undefined),
  /** Of an OCI repository's URL: the chart. */
  chart: (value: unknown): unknown =>
    typeof value === 'string' ? shortened(`oci://registry.invalid/${value.slice(value.lastIndexOf('/') + 1)}`) : undefined,
  /** That a webhook is called outside of the cluster. */
  outside: (value: unknown): unknown => (typeof value === 'string' ? 'https://outside.invalid' : undefined),
  /** Product and version of a user agent. */
  agent: (value: unknown): unknown => (typeof value === 'string' ? shortened(/^[^\s(]*/.exec(value)?.[0] ?? '') : undefined),
  /** Of JSON in a text: its keys, every value null. */
  keys: (value: unknown): unknown => (typeof value === 'string' ? keysOf(value) : undefined),
  /** Of a JSON schema in a text: which properties there are, and whether there may be others. */
  schema: (value: unknown): unknown => (typeof value === 'string' ? schemaOf(value) : undefined),
  /** Of an update's parameters: versions and counts. */
  versions: (value: unknown): unknown => (Array.isArray(value) ? value.filter(isVersion) : undefined),
  /** Of tags: whose an Auto Scaling group is. */
  ownerTags: (value: unknown): unknown => (Array.isArray(value) ? value.flatMap(ownerTag) : undefined),
} as const;

const ADDRESSES: Readonly<Record<AddressFault | 'none', string>> = {
  none: '192.0.2.1',
  'leading zeros': '192.0.2.01',
  'IPv4-mapped IPv6': '::ffff:192.0.2.1',
  'bits beyond the prefix length': '192.0.2.1/24',
};

const NETWORKS: typeof ADDRESSES = {
  ...ADDRESSES,
  none: '192.0.2.0/24',
  'leading zeros': '192.0.2.00/24',
  'IPv4-mapped IPv6': '::ffff:192.0.2.0/120',
};

const VERSION_PARAMETERS: ReadonlySet<unknown> = new Set([
  'Version',
  'PlatformVersion',
  'ReleaseVersion',
  'AddonVersion',
  'MinSize',
  'MaxSize',
  'DesiredSize',
  'MaxUnavailable',
  'MaxUnavailablePercentage',
  'LaunchTemplateVersion',
]);

const isVersion = (parameter: unknown): boolean => isRecord(parameter) && VERSION_PARAMETERS.has(parameter['type']);

const OWNER_TAG = /^(?:eks:(?:cluster-name|nodegroup-name)|kubernetes\.io\/cluster\/.*|k8s\.io\/cluster-autoscaler\/.*)$/;

function ownerTag(tag: unknown): object[] {
  if (!isRecord(tag) || typeof tag['Key'] !== 'string' || !OWNER_TAG.test(tag['Key'])) return [];
  return [{ Key: shortened(tag['Key']), Value: textOr(tag['Value']) }];
}

const textOr = (value: unknown): string => (typeof value === 'string' ? shortened(value) : '');

/** undefined: it is no JSON. */
function jsonOf(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function keptOfJson(text: unknown, keep: (json: Record<string, unknown>) => object): string | undefined {
  const json = jsonOf(text);
  return isRecord(json) ? JSON.stringify(keep(json)) : undefined;
}

function keysOf(text: string): string {
  const json = jsonOf(text);
  return JSON.stringify(isRecord(json) ? withoutValues(json) : {});
}

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [shortened(key), withoutValues(each)])) : null;
}

function schemaOf(text: string): string {
  return JSON.stringify(outlineOf(jsonOf(text)));
}
