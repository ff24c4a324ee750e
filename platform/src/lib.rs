//! What the operating system knows: futex, CPU topology, quotas, environment, clock.
