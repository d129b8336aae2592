/** How long a page of a list may be at most, whatever a request asks for: services may answer with fewer entries and a token at any time. */
import { AsyncLocalStorage } from 'node:async_hooks';

const most = new AsyncLocalStorage<number>();

/** Serves with one entry a page where `short` says so. */
export const inShortPages = <T>(short: boolean, serve: () => T): T => (short ? most.run(1, serve) : serve());

/** Of the request that is being served. */
export const mostOfAPage = (): number => most.getStore() ?? Number.POSITIVE_INFINITY;
