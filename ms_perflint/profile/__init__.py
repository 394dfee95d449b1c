"""What MindSpore's profiler measured: readers for its layouts, and what a profile shows about a finding."""
