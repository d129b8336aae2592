/** Records what AWS is asked and answers, as far as a snapshot keeps it. What was asked once is not asked again. */
import type { EKSClient } from '@aws-sdk/client-eks';
import { parse } from 'yaml';
import type { SnapshotCall, SnapshotService } from '../../../domain/facts/snapshot/format.ts';
import { field, isRecord } from '../../../domain/core/unknown.ts';
import { keptAnswer } from '../../../domain/facts/snapshot/allowed/index.ts';
import type { AccountClients } from '../../clients/aws/account-clients.ts';
import { failureOf } from '../../runtime/translate-errors.ts';

/** Whose answers are others each time. */
const CHANGING: ReadonlySet<string> = new Set(['StartInsightsRefresh', 'DescribeInsightsRefresh']);
/** Tokens of pages are AWS's own secrets. */
const PAGE_TOKENS: ReadonlySet<string> = new Set(['nextToken', 'NextToken', 'Marker']);

type Ask = () => Promise<unknown>;

export class AwsRecorder {
  readonly #calls = new Map<string, SnapshotCall>();
  readonly #asked = new Map<string, Promise<unknown>>();
  readonly #pages = new Map<string, string>();

  /** In the order in which they were first asked. */
  get calls(): SnapshotCall[] {
    return [...this.#calls.values()];
  }

  /** `outputOf`: the answer in what `ask` gives. */
  async call(
    { service, operation, input }: Pick<SnapshotCall, 'service' | 'operation'> & { input: unknown },
    ask: Ask,
    outputOf: (given: unknown) => unknown,
  ): Promise<unknown> {
    const kept = this.#withPages(isRecord(input) ? input : {});
    const key = JSON.stringify([service, operation, Object.entries(kept).toSorted(([a], [b]) => a.localeCompare(b, 'en'))]);
    const known = this.#asked.get(key);
    if (known !== undefined) return await known;
    const asking = ask();
    if (!CHANGING.has(operation)) this.#asked.set(key, asking);
    try {
      const given = await asking;
      const answer = this.#withPages(keptAnswer(service, operation, withJsonValues(outputOf(given))));
      // Dates as the file has them.
      const output: Record<string, unknown> = JSON.parse(JSON.stringify(answer));
      this.#calls.set(key, { kind: 'aws', service, operation, input: kept, output });
      return given;
    } catch (error) {
      this.#asked.delete(key);
      const name = field(error, 'name');
      this.#calls.set(key, { kind: 'aws', service, operation, input: kept, error: { name: typeof name === 'string' ? name : 'Error' } });
      throw error;
    }
  }

  /** Every call of the client from now on. Returns the end of that. */
  watch(eks: EKSClient): () => void {
    const name = 'belaySnapshot';
    eks.middlewareStack.add(
      (next, context) => async (args) => {
        const operation = String(context['commandName']).replace(/Command$/, '');
        const answer = await this.call(
          { service: 'eks', operation, input: args.input },
          () => next(args),
          (given) => field(given, 'output'),
        );
        // What `next` gave.
        return answer as Awaited<ReturnType<typeof next>>;
      },
      // Outermost: retries are none of ours, and an answer that is known is not asked for.
      { step: 'initialize', priority: 'high', name },
    );
    return () => void eks.middlewareStack.remove(name);
  }

  /** The same clients, which only read. */
  around(clients: AccountClients): AccountClients {
    return {
      ...clients,
      autoScaling: this.#recorded('autoscaling', clients.autoScaling),
      // What EC2 publishes is of its moment; what runs is recorded instead.
      cloudWatch: () => Promise.reject(failureOf('InvalidRequest', 'taking a snapshot: metrics of CloudWatch are not recorded')),
      ec2: this.#recorded('ec2', clients.ec2),
      iam: this.#recorded('iam', clients.iam),
      kms: this.#recorded('kms', clients.kms),
      quotas: this.#recorded('service-quotas', clients.quotas),
      ssm: this.#recorded('ssm', clients.ssm),
    };
  }

  #recorded<C extends object>(service: SnapshotService, open: () => Promise<C>): () => Promise<C> {
    return async () =>
      new Proxy(await open(), {
        get: (client, name, self) => {
          const value: unknown = Reflect.get(client, name, self);
          if (typeof value !== 'function' || typeof name !== 'string') return value;
          const operation = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
          return (input: unknown, options: unknown) => {
            if (!/^(?:Describe|Get|List)/.test(operation))
              throw failureOf('InvalidRequest', `taking a snapshot: ${operation} changes something`);
            return this.call(
              { service, operation, input },
              () => Reflect.apply(value, client, [input, options]) as Promise<unknown>,
              (given) => given,
            );
          };
        },
      });
  }

  /** Without what is undefined; tokens of pages numbered, the same in the answer that gives one and in the question that carries it. */
  #withPages(fields: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(fields).flatMap(([key, value]) => {
        if (value === undefined || key === '$metadata') return [];
        if (!PAGE_TOKENS.has(key) || typeof value !== 'string' || value === '') return [[key, value]];
        const page = this.#pages.get(value) ?? `page-${this.#pages.size + 2}`;
        this.#pages.set(value, page);
        return [[key, page]];
      }),
    );
  }
}

/** Configuration values are YAML or JSON; the allow-list reads JSON. */
function withJsonValues(output: unknown): unknown {
  const addOn = field(output, 'addon');
  const values = field(addOn, 'configurationValues');
  if (!isRecord(output) || !isRecord(addOn) || typeof values !== 'string') return output;
  return { ...output, addon: { ...addOn, configurationValues: JSON.stringify(parsed(values)) } };
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return {};
  }
}
