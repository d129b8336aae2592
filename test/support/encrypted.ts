/** Clients of a test as Belay's processes make them: with the keys of an environment. */
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDataConverter } from '../../worker/crypto/codec/data-converter.ts';
import { sealingInterceptors } from '../../worker/crypto/codec/seal-messages.ts';

export function clientOf({ connection }: Pick<TestWorkflowEnvironment, 'connection'>, env: NodeJS.ProcessEnv): Client {
  return new Client({ connection, dataConverter: createDataConverter(env), interceptors: { workflow: sealingInterceptors(env) } });
}
