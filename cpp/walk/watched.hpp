// Runs work in a separate thread; the calling thread only polls, so that it can respond to an interrupt at
// any time.
#pragma once

#include "walk/control.hpp"
#include "walk/threads.hpp"

namespace dugraph {

template <class Work>
void watched(Control& control, const Poll& poll, const Work& work) {
    prepare_to_throw();
    FirstFailure failure;
    {
        JoinedThreads driver;
        driver.start([&] {
            try {
                work();
            } catch (...) {
                failure.note();
            }
            control.finish();
        });
        driver.go();
        control.watch(poll);
    }
    failure.rethrow();
}

}  // namespace dugraph
