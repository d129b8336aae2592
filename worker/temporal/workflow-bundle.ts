/** The workflow code as a worker runs it. One function for the worker, the package and the tests: a replay proves something only about the same bundle. */
import { type BundleOptions, bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { modulePath } from '../config/module-path.ts';

export interface WorkflowBundleOptions extends Pick<BundleOptions, 'failureConverterPath' | 'logger'> {
  /** The file in whose folder's sibling `workflows/` the code is; default: this one. Tests bundle changed copies. */
  beside?: string;
  /** Interceptors after Belay's own, for tests that plant faults. */
  moreInterceptors?: string[];
}

/** Takes about two seconds; a reconnection does not need it again. */
export function buildWorkflowBundle(options: WorkflowBundleOptions): Promise<WorkflowBundleWithSourceMap> {
  const { beside = import.meta.url, moreInterceptors = [], ...rest } = options;
  return bundleWorkflowCode({
    workflowsPath: modulePath(beside, '../../workflows/index'),
    workflowInterceptorModules: [
      modulePath(beside, '../../workflows/runtime/messages/message-door'),
      modulePath(beside, '../../workflows/runtime/run-header'),
      ...moreInterceptors,
    ],
    payloadConverterPath: modulePath(beside, '../../workflows/runtime/payload-converter'),
    ...rest,
  });
}
