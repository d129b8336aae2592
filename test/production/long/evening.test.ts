/** O3, and what else happens on that evening: PostgreSQL is away for ten minutes. */
import { playEvening } from '../support/evening.ts';

playEvening(600_000);
