//! Names for the tests of each capability; what a test does is in [`suite`](crate::suite).

/// Makes `#[test]`s that call functions of [`suite`](crate::suite), each with one type.
#[doc(hidden)]
#[macro_export]
macro_rules! tests_of {
    ($subject:ty; $( $module:ident: $( $test:ident ),+ );+ $(;)?) => {
        $( $(
            #[test]
            fn $test() {
                $crate::suite::$module::$test::<$subject>();
            }
        )+ )+
    };
}

/// What every filter with a file passes.
#[macro_export]
macro_rules! file_suite {
    ($subject:ty) => {
        $crate::tests_of! { $subject;
            files: members_are_found_however_opened, members_are_found_by_whoever_opens_it,
                keys_are_found_under_every_hash, every_alignment_gives_the_same_answers, saved_again_gives_the_same_bytes,
                a_full_disk_is_reported, the_header_tells_the_truth;
            damage: open_refuses_every_damage_to_the_header, verification_refuses_every_damage,
                what_is_unknown_is_named, a_wrong_key_is_refused, nothing_is_made_of_damaged_bytes,
                a_wrong_count_loses_nothing;
            hostile: forged_files_do_no_harm, senseless_parameters_do_no_harm;
            queries: batches_answer_as_single_queries, whichever_family_it_answers_the_same, a_key_is_its_hash;
            recipes: every_recipe_works_or_is_refused, senseless_numbers_are_refused,
                sizes_beyond_memory_are_refused, tiny_filters_keep_their_rate;
        }
    };
}

/// What every filter with a rate to choose passes.
#[macro_export]
macro_rules! rate_suite {
    ($subject:ty) => {
        $crate::tests_of! { $subject;
            rates: one_percent, one_in_a_thousand, ten_bits_per_key, awkward_numbers_of_keys, small_filters,
                no_size_is_out_of_line, patterned_keys;
        }
    };
}

/// What every filter that takes inserts passes.
#[macro_export]
macro_rules! insert_suite {
    ($subject:ty) => {
        $crate::tests_of! { $subject;
            inserts: batches_insert_as_single_keys, keys_are_inserted_by_their_hash,
                new_means_not_found_before, a_reopened_filter_goes_on_the_same, the_same_key_is_never_new_again, what_it_is_made_for_fits,
                a_refused_key_changes_nothing,
                keys_are_counted;
        }
    };
}

/// What every composition passes; each has more.
#[doc(hidden)]
#[macro_export]
macro_rules! composition_suite {
    ($subject:ty) => {
        $crate::tests_of! { $subject;
            files: members_are_found_however_opened, keys_are_found_under_every_hash,
                every_alignment_gives_the_same_answers, saved_again_gives_the_same_bytes,
                a_full_disk_is_reported;
            damage: open_refuses_every_damage_to_the_header, verification_refuses_every_damage,
                what_is_unknown_is_named, a_wrong_key_is_refused, nothing_is_made_of_damaged_bytes,
                a_wrong_count_loses_nothing;
            hostile: forged_files_do_no_harm, senseless_parameters_do_no_harm;
            queries: batches_answer_as_single_queries, a_key_is_its_hash;
            recipes: senseless_numbers_are_refused, tiny_filters_keep_their_rate;
        }
    };
}

/// What a scalable filter passes, in a module of the given name: all but what a size to aim for is needed for, and
/// a capacity that is known beforehand.
#[macro_export]
macro_rules! scalable_suite {
    ($base:ident, $params:ty) => {
        mod $base {
            type Subject = $crate::Scaling<$params>;

            $crate::composition_suite!(Subject);
            $crate::insert_suite!(Subject);
            $crate::tests_of! { Subject;
                files: members_are_found_by_whoever_opens_it;
                queries: whichever_family_it_answers_the_same;
            }
        }
    };
}

/// What a windowed filter passes, in a module of the given name: all but insertion, which needs a time. Buckets of a third of
/// the keys differ from build to build by more than the suite allows at its lowest rates and sizes: the unit tests measure
/// such.
#[macro_export]
macro_rules! windowed_suite {
    ($base:ident, $params:ty) => {
        mod $base {
            type Subject = $crate::Windowing<$params>;

            $crate::composition_suite!(Subject);
            $crate::tests_of! { Subject;
                rates: one_percent, ten_bits_per_key, awkward_numbers_of_keys, no_size_is_out_of_line,
                    patterned_keys;
                files: members_are_found_by_whoever_opens_it, the_header_tells_the_truth;
                queries: whichever_family_it_answers_the_same;
                recipes: every_recipe_works_or_is_refused, sizes_beyond_memory_are_refused;
            }
        }
    };
}

/// What a prefix filter passes, in a module of the given name: all but what asks it for hashes under another type than
/// its own, where a hash is one of a whole key.
#[macro_export]
macro_rules! prefix_suite {
    ($base:ident, $params:ty) => {
        mod $base {
            type Subject = $crate::Prefixing<$params>;

            $crate::composition_suite!(Subject);
            $crate::rate_suite!(Subject);
            $crate::insert_suite!(Subject);
            $crate::order_suite!(Subject);
            $crate::tests_of! { Subject;
                files: the_header_tells_the_truth;
                recipes: every_recipe_works_or_is_refused, sizes_beyond_memory_are_refused;
            }
        }
    };
}

/// What every filter passes whose bytes tell which keys are in it, and not in which order they came.
#[macro_export]
macro_rules! order_suite {
    ($subject:ty) => {
        $crate::tests_of! { $subject; files: equal_sets_give_equal_bytes; }
    };
}

/// What every filter passes that is built once, in a module of the given name.
#[macro_export]
macro_rules! static_suite {
    ($family:ident, $params:ty) => {
        mod $family {
            type Subject = $crate::Built<$params>;

            $crate::file_suite!(Subject);
            $crate::rate_suite!(Subject);
            $crate::order_suite!(Subject);
        }
    };
}

/// What every filter that can be merged passes.
#[macro_export]
macro_rules! merge_suite {
    ($subject:ty) => {
        $crate::tests_of! { $subject;
            merges: the_union_holds_both, the_empty_set_adds_nothing, another_hash_is_refused,
                damaged_bytes_are_not_merged;
        }
    };
}

/// What every filter that keys can be removed from passes. `$merge_one` puts a key into a filter by another way than
/// insertion, where there is one: see [`random_operations`](crate::suite::removes::random_operations).
#[macro_export]
macro_rules! remove_suite {
    ($subject:ty, $merge_one:expr) => {
        $crate::tests_of! { $subject;
            removes: what_is_removed_is_gone, removing_the_absent_is_refused, keys_are_removed_by_their_hash;
        }

        #[test]
        fn random_operations() {
            $crate::suite::removes::random_operations::<$subject>($merge_one);
        }
    };
}

/// All of it for a family that is a bitmap, in a module of the given name: the suites above, and what only
/// bitmaps have, the concurrent twin included.
#[macro_export]
macro_rules! bitmap_suite {
    ($family:ident, $params:ty) => {
        mod $family {
            type Subject = $crate::Inserting<$params>;

            $crate::file_suite!(Subject);
            $crate::rate_suite!(Subject);
            $crate::insert_suite!(Subject);
            $crate::merge_suite!(Subject);
            $crate::order_suite!(Subject);
            $crate::tests_of! { Subject;
                bitmap: a_key_again_changes_no_bit, the_union_is_the_or, another_shape_is_refused,
                    every_bit_is_used, the_fill_tells_the_number_of_keys, overfull_is_shown;
            }
            $crate::tests_of! { $params; bitmap: a_cleared_filter_is_empty; }
            $crate::twin_suite!($params);
        }
    };
}

/// What the concurrent twin of a bitmap passes.
#[macro_export]
macro_rules! twin_suite {
    ($params:ty) => {
        const TWIN: $crate::suite::concurrent::Twin<$params, ruleout::Atomic<$params>> =
            $crate::suite::concurrent::Twin {
                share: ruleout::Atomic::from,
                insert: ruleout::Atomic::insert_hash,
                insert_many: ruleout::Atomic::insert_hashes,
                freeze: ruleout::Atomic::freeze,
            };

        #[test]
        fn the_same_keys_from_all_threads() {
            $crate::suite::concurrent::the_same_keys_from_all_threads(&TWIN);
        }

        #[test]
        fn different_keys_from_all_threads() {
            $crate::suite::concurrent::different_keys_from_all_threads(&TWIN);
        }

        #[test]
        fn one_thread_does_as_the_plain_filter() {
            $crate::suite::concurrent::one_thread_does_as_the_plain_filter(&TWIN);
        }
    };
}
