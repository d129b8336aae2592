/** Registers Belay's search attributes where they are missing, and says what to do where that is refused. */
import proto from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { GRPC } from '../../client/calls/grpc-status.ts';
import { field, messageOf } from '../../domain/core/unknown.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract/messages.ts';
import { isRefusal } from './connection.ts';

const KEYWORD = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;

/** What of the service is needed; `Connection` has the same. */
type OperatorConnection = Pick<NativeConnection, 'operatorService' | 'workflowService'>;

/** `refused`: in the server's words, why those that are missing were not added. */
export interface Registered {
  added: string[];
  missing: string[];
  refused?: string;
}

/** Names that the namespace lacks, or has with another type. */
export async function missingSearchAttributes(connection: OperatorConnection, namespace: string): Promise<string[]> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return SEARCH_ATTRIBUTES.filter((name) => customAttributes?.[name] !== KEYWORD);
  } catch (error) {
    if (!isRefusal(error) && field(error, 'code') !== GRPC.unimplemented) throw error;
    return await unknownToQueries(connection, namespace);
  }
}

/** For keys that may not list them: a query that names one is only accepted where it exists. */
async function unknownToQueries({ workflowService }: OperatorConnection, namespace: string): Promise<string[]> {
  const missing: string[] = [];
  for (const name of SEARCH_ATTRIBUTES) {
    try {
      await workflowService.countWorkflowExecutions({ namespace, query: `${name} = 'belay'` });
    } catch (error) {
      if (field(error, 'code') !== GRPC.invalidArgument) throw error;
      missing.push(name);
    }
  }
  return missing;
}

/** Those that cannot be added are left out: runs go on without them. Another worker may add them at the same moment: that is fine. */
export async function registerSearchAttributes(connection: OperatorConnection, namespace: string): Promise<Registered> {
  const lacking = await missingSearchAttributes(connection, namespace);
  if (lacking.length === 0) return { added: [], missing: [] };
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(lacking.map((name) => [name, KEYWORD])),
    });
    return { added: lacking, missing: [] };
  } catch (error) {
    const missing = await missingSearchAttributes(connection, namespace);
    const added = lacking.filter((name) => !missing.includes(name));
    return missing.length === 0 ? { added, missing } : { added, missing, refused: messageOf(error).split('\n')[0] ?? '' };
  }
}

/**
 * What an administrator runs. Temporal Cloud adds them by its own control plane only:
 * https://docs.temporal.io/self-hosted-guide/visibility/custom-search-attributes and https://docs.temporal.io/cloud/tcld/namespace#search-attributes
 */
export function howToAdd(names: readonly string[], namespace: string, address: string): string {
  const adding = (option: (name: string) => string): string => names.map(option).join(' ');
  if (/\.tmprl\.cloud(:|$)|\.api\.temporal\.io(:|$)/.test(address))
    return `tcld namespace search-attributes add --namespace ${namespace} ${adding((name) => `--search-attribute "${name}=Keyword"`)} (or Temporal Cloud UI, Namespaces, ${namespace}, Edit, Custom Search Attributes)`;
  return `temporal operator search-attribute create --namespace ${namespace} ${adding((name) => `--name ${name} --type Keyword`)}`;
}
