/** Where whatever waits is as short as it can be: the whole of it is test/production/long/evening.test.ts. */
import { playEvening } from './support/evening.ts';

playEvening(30_000);
