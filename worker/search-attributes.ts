/** Registers Belay's search attributes where they are missing. */
import proto from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from '../workflows/messages.ts';

const KEYWORD = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;

/** What of the service is needed; `Connection` has the same. */
type OperatorConnection = Pick<NativeConnection, 'operatorService'>;

/** Names that the namespace lacks, or has with another type. */
export async function missingSearchAttributes(connection: OperatorConnection, namespace: string): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return SEARCH_ATTRIBUTES.filter((name) => customAttributes?.[name] !== KEYWORD);
}

/** Returns the names that were added. Another worker may add them at the same moment: that is fine. */
export async function registerSearchAttributes(connection: OperatorConnection, namespace: string): Promise<string[]> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return [];
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  } catch (error) {
    const left = await missingSearchAttributes(connection, namespace);
    if (left.length > 0) throw error;
  }
  return missing;
}
