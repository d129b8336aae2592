/** The workflow code as a worker runs it. One function for the worker, the package and the tests: a replay proves something only about the same bundle. */
import { fileURLToPath } from 'node:url';
import { type BundleOptions, bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { modulePath } from '../config/module-path.ts';
import { type BundleStore, bundleStore } from './bundle-store.ts';

export interface WorkflowBundleOptions extends Pick<BundleOptions, 'failureConverterPath' | 'logger'> {
  /** The file in whose folder's sibling `workflows/` the code is; default: this one. Tests bundle changed copies. */
  beside?: string;
  /** For a worker with versions: steps are pinned to the one that began them. */
  versioned?: boolean;
  /** Interceptors after Belay's own, for tests that plant faults. */
  moreInterceptors?: string[];
}

/** The kept bundle where it fits the code, otherwise a new one, which takes about three seconds and is kept. */
export async function workflowBundle(options: WorkflowBundleOptions): Promise<WorkflowBundleWithSourceMap> {
  const { beside = import.meta.url, moreInterceptors = [], logger } = options;
  if (moreInterceptors.length > 0) return await build(options);
  const store = storeOf(options);
  const kept = store.read();
  if (kept !== undefined) return kept;
  if (store.isShipped) logger?.warn(`The bundles in ${shippedIn(beside)} do not fit the code: the workflow code is bundled now`);
  const made = await build(options);
  store.keep(made);
  return made;
}

/** For a package or an image to bring along: into `workflow-bundles/` beside the code, with and without encryption and versions. */
export async function shipBundles(beside: string): Promise<void> {
  for (const failureConverterPath of [undefined, modulePath(beside, '../../workflows/runtime/failure-converter')]) {
    for (const versioned of [false, true]) {
      const options = { beside, failureConverterPath, versioned };
      storeOf(options).ship(await build(options), shippedIn(beside));
    }
  }
}

/** Twelve hexadecimal digits: the same for the same workflow code, wherever it lies, and another for any other. */
export const bundleId = (options: WorkflowBundleOptions): string => storeOf(options).key.slice(0, 12);

const shippedIn = (beside: string): string => fileURLToPath(new URL('../../workflow-bundles/', beside));

/** Another interceptor makes another bundle as much as other code does. */
const storeOf = (options: WorkflowBundleOptions): BundleStore =>
  bundleStore(options.beside ?? import.meta.url, [JSON.stringify({ ...bundlerOptions(options), logger: undefined })]);

const build = (options: WorkflowBundleOptions): Promise<WorkflowBundleWithSourceMap> => bundleWorkflowCode(bundlerOptions(options));

function bundlerOptions({ beside = import.meta.url, moreInterceptors = [], versioned, ...rest }: WorkflowBundleOptions): BundleOptions {
  const workflowsPath = modulePath(beside, '../../workflows/index');
  const interceptors = ['unread-events', 'messages/message-door', 'run-header'].map((name) =>
    modulePath(beside, `../../workflows/runtime/${name}`),
  );
  return {
    workflowsPath,
    workflowInterceptorModules: [...interceptors, ...moreInterceptors],
    // Once for all workflows of a thread, in place of four hundred modules for each: no module has state (scripts/lint, workflows/runtime/workflow-local.ts).
    preloadModules: [workflowsPath, ...interceptors, ...(versioned === true ? [modulePath(beside, '../../workflows/pin-steps')] : [])],
    payloadConverterPath: modulePath(beside, '../../workflows/runtime/payload-converter'),
    ...rest,
  };
}
