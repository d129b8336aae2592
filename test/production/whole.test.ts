/** A Temporal as docker-compose.yml sets it up, from an empty PostgreSQL to a completed upgrade. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../../workflows/contract/messages.ts';
import { rehearsedOn } from './support/belay.ts';
import { describeOnPostgreSql } from './support/describe.ts';
import { ProductionTemporal } from './support/temporal.ts';

const DATABASES = ['temporal', 'temporal_visibility'];
const NINETY_DAYS_S = 90 * 24 * 3_600;

describeOnPostgreSql('a fresh PostgreSQL', () => {
  let temporal: ProductionTemporal;
  beforeAll(async () => {
    temporal = await ProductionTemporal.prepare();
  });
  afterAll(() => temporal?.close());

  /** All columns of all tables, and which changes of the schema were made when. */
  const schemas = (): string[] =>
    DATABASES.flatMap((database) => [
      temporal.postgresql.query(
        database,
        "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2",
      ),
      temporal.postgresql.query(database, 'select * from schema_version order by 1, 2'),
      temporal.postgresql.query(database, 'select * from schema_update_history order by 1, 2, 3'),
    ]);

  test('O1: schemas set up twice are those of the first time', async () => {
    await temporal.setupSchema();
    const first = schemas();
    expect(first[0]).toContain('executions|workflow_id|');
    expect(first[3]).toContain('executions_visibility|search_attributes|jsonb');
    await temporal.setupSchema();
    expect(schemas()).toEqual(first);
  });

  test('O1: the namespace keeps history for 90 days and has all search attributes, also after a second time', async () => {
    await temporal.start();
    await temporal.createNamespace();
    await temporal.createNamespace();
    const connection = await Connection.connect({ address: temporal.address });
    try {
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(NINETY_DAYS_S);
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
      const KEYWORD = proto.temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD;
      expect(customAttributes).toEqual(Object.fromEntries(SEARCH_ATTRIBUTES.map((name) => [name, KEYWORD])));
    } finally {
      await connection.close();
    }
  });

  test('O1: a whole upgrade completes and leaves nothing behind', async () => {
    const run = await rehearsedOn({ TEMPORAL_ADDRESS: temporal.address }, { scenario: 'seed-000' });
    expect([run.ok, run.why]).toEqual([true, '']);
    expect(run.report).toMatchObject({ outcome: 'completed', leftBehind: [], unmet: [] });
  });
});
