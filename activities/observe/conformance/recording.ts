/** A recording of what was asked and answered, with everything that says whose it is replaced, the same by the same throughout. */
import { isRecord } from '../../../domain/core/unknown.ts';
import { at, textAt } from './look.ts';

export interface Exchanged {
  service: string;
  /** DescribeCluster; GET /api/v1/nodes */
  operation: string;
  request: unknown;
  /** Absent: there was no answer. */
  status?: number;
  answer: unknown;
}

export interface Recorder {
  exchange(one: Exchanged): void;
  /** JSON text, redacted. */
  text(): string;
}

/** As of the SDK's clients: each command passes through it once, whatever its attempts. */
interface Watchable {
  config: { serviceId: string };
  middlewareStack: {
    add(
      middleware: (
        next: (args: { input: object }) => Promise<{ output: unknown; response: unknown }>,
        context: { commandName?: string },
      ) => (args: { input: object }) => Promise<{ output: unknown; response: unknown }>,
      options: { step: 'initialize'; name: string },
    ): void;
  };
}

/** Tells the recorder of each command of the client. */
export function recordCommands(client: Watchable, recorder: Recorder): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const about = {
        service: client.config.serviceId,
        operation: (context.commandName ?? '').replace(/Command$/, ''),
        request: args.input,
      };
      try {
        const result = await next(args);
        const { $metadata, ...answer } = isRecord(result.output) ? result.output : {};
        const status = at($metadata, 'httpStatusCode');
        recorder.exchange({ ...about, ...(typeof status === 'number' ? { status } : {}), answer });
        return result;
      } catch (error) {
        const status = at(error, '$metadata', 'httpStatusCode');
        const answer = { error: textAt(error, 'name'), message: textAt(error, 'message') };
        recorder.exchange({ ...about, ...(typeof status === 'number' ? { status } : {}), answer });
        throw error;
      }
    },
    { step: 'initialize', name: 'belayRecording' },
  );
}

export function createRecorder(about: Record<string, unknown>): Recorder {
  const exchanges: Exchanged[] = [];
  return {
    exchange: (one) => void exchanges.push(one),
    text: () => `${JSON.stringify(redactAll({ ...about, exchanges }), null, 2)}\n`,
  };
}

/** Values that are never shown. */
const SECRET_KEYS =
  /token|secret|password|certificateauthority|cabundle|authorization|^(data|binaryData|env|envFrom|args|command|managedFields)$|userdata|signature|credential|last-applied/i;
/** Values under these keys are names that people gave. */
const NAME_KEYS =
  /^(name|namespace|clusterName|nodegroupName|nodeName|generateName|Name|serviceAccount|hostname|uid|owner|holderIdentity)$|Name$/;
/** Names that are everybody's: what checks are about stays readable. */
const KNOWN_NAMES =
  /^(default|kube-[a-z-]+|coredns|aws-node|vpc-cni|karpenter|istio-system|istiod.*|aws-ebs-csi-driver|amazon-[a-z-]+|eks-[a-z-]+|system:[a-z:-]+|[a-z]+s\.[a-z.]+|belay-conformance.*|[A-Z][A-Za-z]+)$/;

const PATTERNS: readonly [RegExp, string][] = [
  [/\barn:aws[a-z-]*:[^\s"',]+/g, 'arn'],
  [/\b\d{12}\b/g, 'account'],
  [/\b(?:i|ami|subnet|sg|vpc|lt|eni|vol|igw|rtb|a)-[0-9a-f]{8,17}\b/g, 'id'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'uuid'],
  [/\bhttps?:\/\/[^\s"']+/g, 'url'],
  [/\bip-\d+-\d+-\d+-\d+[a-z0-9.-]*/g, 'node'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?:\/\d+)?\b/g, 'address'],
  [/[\w.+-]+@[\w-]+\.[\w.-]+/g, 'mail'],
  [/\bk8s-aws-v1\.[\w-]+/g, 'token'],
  [/\bA(?:KIA|SIA|ROA)[A-Z0-9]{12,}\b/g, 'key'],
];

/** The same thing gets the same replacement: arn-1, account-2. */
export function redactAll(value: unknown): unknown {
  const replaced = new Map<string, string>();
  const counts = new Map<string, number>();
  const stand = (kind: string, text: string): string => {
    const key = `${kind}:${text}`;
    const known = replaced.get(key);
    if (known !== undefined) return known;
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    const made = `${kind}-${number}`;
    replaced.set(key, made);
    return made;
  };
  const names = new Set<string>();
  gatherNames(value, names);
  const known = [...names].filter((name) => name.length >= 3).toSorted((a, b) => b.length - a.length);
  const clean = (text: string): string => {
    const named = known.reduce((so, name) => (so.includes(name) ? so.replaceAll(name, stand('name', name)) : so), text);
    return PATTERNS.reduce((so, [pattern, kind]) => so.replace(pattern, (found) => stand(kind, found)), named);
  };
  const walk = (inner: unknown, key: string): unknown => {
    if (SECRET_KEYS.test(key) && typeof inner === 'object' && inner !== null) return '[redacted]';
    if (SECRET_KEYS.test(key) && typeof inner === 'string') return stand('secret', inner);
    if (inner instanceof Date) return inner.toISOString();
    if (Array.isArray(inner)) return inner.map((each) => walk(each, key));
    if (isRecord(inner))
      return Object.fromEntries(
        Object.entries(inner).flatMap(([name, each]) => (each === undefined ? [] : [[clean(name), walk(each, name)]])),
      );
    return typeof inner === 'string' ? clean(inner) : inner;
  };
  return walk(value, '');
}

/** Names that occur under a key for names: they are replaced wherever they occur. */
function gatherNames(value: unknown, names: Set<string>, key = ''): void {
  if (Array.isArray(value)) for (const each of value) gatherNames(each, names, key);
  else if (isRecord(value)) for (const [name, each] of Object.entries(value)) gatherNames(each, names, name);
  else if (typeof value === 'string' && NAME_KEYS.test(key) && !KNOWN_NAMES.test(value)) names.add(value);
}
