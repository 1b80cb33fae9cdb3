import { describeWithPostgres } from '../share/postgres/describe-with-postgres.js';
import { catalogueInPostgres } from '../share/shared-catalogue/machines.js';
import { keepsACatalogue } from './contract/loads.js';

describeWithPostgres('a catalogue in PostgreSQL', (server) => keepsACatalogue(catalogueInPostgres(server)));
