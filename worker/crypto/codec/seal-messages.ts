/** What clients send says, inside of its ciphertext, which message it is: see workflows/runtime/messages/seal. */
import { randomUUID } from 'node:crypto';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { sealed, startOf, WITHOUT_INPUT } from '../../../workflows/runtime/messages/seal.ts';
import { codecKeys } from './keys.ts';

/** None where nothing is encrypted: a seal that everybody can make says nothing. Throws CodecKeysError. */
export function sealingInterceptors(env: NodeJS.ProcessEnv): WorkflowClientInterceptor[] {
  if (codecKeys(env).length === 0) return [];
  return [
    {
      startWithDetails: (input, next) => {
        const args = seal(startOf(input.workflowType), input.options.args);
        return next({ ...input, options: { ...input.options, args } });
      },
      signal: (input, next) => next({ ...input, args: seal(input.signalName, input.args) }),
      signalWithStart: (input, next) => {
        const args = seal(startOf(input.workflowType), input.options.args);
        return next({ ...input, signalArgs: seal(input.signalName, input.signalArgs), options: { ...input.options, args } });
      },
      startUpdate: (input, next) => next({ ...input, args: seal(input.updateName, input.args) }),
      startUpdateWithStart: (input, next) => {
        const args = seal(startOf(input.workflowType), input.workflowStartOptions.args);
        const workflowStartOptions = { ...input.workflowStartOptions, args };
        return next({ ...input, updateArgs: seal(input.updateName, input.updateArgs), workflowStartOptions });
      },
    },
  ];
}

function seal(as: string, args: readonly unknown[]): unknown[] {
  if (WITHOUT_INPUT.includes(as)) return [...args];
  return [sealed(args[0], { as, id: randomUUID(), at: Date.now() })];
}
