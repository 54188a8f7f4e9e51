-- Who is queued is found by broadcast_people_by_state: this one was written for each person, and told nothing more.
DROP INDEX CONCURRENTLY IF EXISTS broadcast_people_queued;
