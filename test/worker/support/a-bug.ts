/** Workflow interceptors with a bug: the control plane's phase of one cluster throws where no workflow code may, a plain Error. */
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import type { PhaseInput } from '../../../workflows/contract/phase.ts';

export const BUGGED = 'with-a-bug';

export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      execute: async (input, next) => {
        const [phase] = input.args as [Partial<PhaseInput>?];
        if (phase?.step?.phase === 'control-plane' && phase.cluster?.name === BUGGED) throw new Error('a bug in a release');
        return await next(input);
      },
    },
  ],
});
